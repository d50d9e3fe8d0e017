//! Changes of a scenario: each is written as a file would be and read again, so that nothing can be changed into what a
//! file could not say, and what is wrong is said in the same words.

use super::{Scenario, ScenarioError};

/// With nothing said about it yet.
pub(super) const NEW_FAULT: &str = "\n[[fault]]\n";

impl Scenario {
    /// Changes one value as `--set` does: text needs no quotes, `fault.2.at_s` is a field of the second fault. The
    /// scenario is as it was when this fails.
    ///
    /// # Errors
    /// All that is wrong with the value, or with the scenario when it has that value; at least one error.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Vec<ScenarioError>> {
        let overrides = [(key.to_string(), value.to_string())];
        self.adopt(Scenario::parse_with(&self.to_toml(), "scenario", &overrides)?);
        Ok(())
    }

    /// Adds a fault, given by its fields as [`set`](Scenario::set) takes them. The scenario is as it was when this fails.
    ///
    /// ```
    /// use leaselab::scenario::Scenario;
    /// let mut scenario = Scenario::default();
    /// scenario.add_fault(&[("kind", "kill"), ("target", "etcd2"), ("at_s", "40")]).unwrap();
    /// let errors = scenario.add_fault(&[("kind", "kill"), ("target", "etcd9"), ("at_s", "40")]).unwrap_err();
    /// assert_eq!((scenario.faults.len(), errors[0].key.as_str()), (1, "fault.2.target"));
    /// ```
    ///
    /// # Errors
    /// All that is wrong with the fault; at least one error.
    pub fn add_fault(&mut self, fields: &[(&str, &str)]) -> Result<(), Vec<ScenarioError>> {
        let text = self.to_toml() + NEW_FAULT;
        self.adopt(with_fault(&text, self.faults.len(), fields)?);
        Ok(())
    }

    /// Puts another fault, given by its fields, in the place of one. The scenario is as it was when this fails.
    ///
    /// ```
    /// use leaselab::scenario::Scenario;
    /// let mut scenario = Scenario::default();
    /// scenario.add_fault(&[("kind", "kill"), ("target", "etcd2"), ("at_s", "40")]).unwrap();
    /// scenario.set_fault(0, &[("kind", "pause"), ("target", "etcd2"), ("at_s", "50"), ("for_s", "5")]).unwrap();
    /// let written = scenario.fault_as_written(&scenario.faults[0]);
    /// assert_eq!(written[1], ("until_s", "55".to_owned()));
    /// ```
    ///
    /// # Errors
    /// All that is wrong with the fault; at least one error.
    pub fn set_fault(&mut self, index: usize, fields: &[(&str, &str)]) -> Result<(), Vec<ScenarioError>> {
        let mut text = self.settings_as_written();
        for (n, fault) in self.faults.iter().enumerate() {
            if n == index {
                text.push_str(NEW_FAULT);
            } else {
                self.write_fault(&mut text, fault);
            }
        }
        self.adopt(with_fault(&text, index, fields)?);
        Ok(())
    }

    /// Becomes another version of itself. Its faults keep the lines of the file they were written in.
    fn adopt(&mut self, mut changed: Scenario) {
        for (fault, before) in changed.faults.iter_mut().zip(&self.faults) {
            fault.line = before.line;
        }
        *self = changed;
    }
}

/// Reads a file in which the fault at this place is empty, with these fields in it.
fn with_fault(text: &str, index: usize, fields: &[(&str, &str)]) -> Result<Scenario, Vec<ScenarioError>> {
    let overrides = fields
        .iter()
        .map(|(key, value)| (format!("fault.{}.{key}", index + 1), (*value).to_owned()));
    Scenario::parse_with(text, "scenario", &Vec::from_iter(overrides))
}
