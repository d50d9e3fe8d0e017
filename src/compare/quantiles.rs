//! The little statistics that a comparison needs.

use crate::sorting;

/// The value at a rank from 0 to 1 among sorted values, between neighbours in proportion. Nothing of nothing.
pub fn percentile(sorted: &[f64], rank: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = rank.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

/// Where a value falls among sorted values, 0 to 1: the share below it and half of the share equal to it.
pub fn quantile(sorted: &[f64], value: f64, resolution: f64) -> f64 {
    let below = sorted.partition_point(|&x| x < value - resolution);
    let up_to = sorted.partition_point(|&x| x <= value + resolution);
    (below + up_to) as f64 / 2.0 / sorted.len().max(1) as f64
}

/// The greatest distance between the distribution of `quantiles` and the uniform one (Kolmogorov-Smirnov).
pub fn distance_from_uniform(quantiles: &[f64]) -> f64 {
    let mut sorted = quantiles.to_vec();
    sorting::by(&mut sorted, f64::total_cmp);
    let n = sorted.len() as f64;
    let at = |(i, &q): (usize, &f64)| (q - i as f64 / n).max((i + 1) as f64 / n - q);
    sorted.iter().enumerate().map(at).fold(0.0, f64::max)
}

/// The distance that `n` independent uniform values exceed once in a hundred times.
pub fn distance_allowed(n: usize) -> f64 {
    // Kolmogorov's distribution with Stephens' correction for small n.
    let root = (n.max(1) as f64).sqrt();
    1.628 / (root + 0.12 + 0.11 / root)
}

/// The 95 % interval of a probability of which `hits` of `of` tries were seen (Clopper-Pearson, by bisection).
pub fn binomial_interval(hits: u32, of: u32) -> (f64, f64) {
    let at_least = |p: f64| (hits..=of).map(|k| binomial(k, of, p)).sum::<f64>();
    let at_most = |p: f64| (0..=hits).map(|k| binomial(k, of, p)).sum::<f64>();
    let low = if hits == 0 {
        0.0
    } else {
        bisect(|p| at_least(p) < 0.025)
    };
    let high = if hits == of {
        1.0
    } else {
        bisect(|p| at_most(p) > 0.025)
    };
    (low, high)
}

fn binomial(k: u32, n: u32, p: f64) -> f64 {
    let ways: f64 = (1..=k).map(|i| f64::from(n - k + i) / f64::from(i)).product();
    ways * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
}

/// The probability up to which `below` holds.
fn bisect(below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if below(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_neighbours_in_proportion() {
        assert_eq!(percentile(&[], 0.5), None);
        assert_eq!(percentile(&[3.0], 0.99), Some(3.0));
        assert_eq!(percentile(&[0.0, 10.0], 0.25), Some(2.5));
    }

    #[test]
    fn a_value_among_equals_falls_in_their_middle() {
        assert_eq!(quantile(&[1.0, 2.0, 2.0, 9.0], 2.0, 0.0), 0.5);
        assert_eq!(quantile(&[1.0, 2.0], 0.0, 0.0), 0.0);
        assert_eq!(quantile(&[1.0, 2.0], 3.0, 0.0), 1.0);
    }

    #[test]
    fn evenly_spread_quantiles_are_near_uniform_and_piled_ones_are_not() {
        let even: Vec<f64> = (0..100).map(|i| (f64::from(i) + 0.5) / 100.0).collect();
        assert!(distance_from_uniform(&even) < 0.01);
        assert_eq!(distance_from_uniform(&[0.0; 10]), 1.0);
        assert!((distance_allowed(100) - 0.1607).abs() < 0.002);
    }

    #[test]
    fn the_interval_of_13_of_22_is_the_one_of_the_tables() {
        let (low, high) = binomial_interval(13, 22);
        assert!(
            (low - 0.3635).abs() < 0.001 && (high - 0.7929).abs() < 0.001,
            "{low} {high}"
        );
        assert_eq!(binomial_interval(0, 5).0, 0.0);
        assert!((binomial_interval(0, 5).1 - 0.5218).abs() < 0.001);
    }
}
