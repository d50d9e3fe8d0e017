//! From words and signs to an expression, one function for each strength of binding.

use super::lexer::Token;
use super::{ClaimError, Kind, Node, Operator, Path, Quantifier, Segment, SegmentKind, error};

const DEPTH_MAX: usize = 50;

pub(super) fn parse(tokens: Vec<(usize, Token)>) -> Result<(Option<Quantifier>, Node), ClaimError> {
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
    };
    let quantifier = parser.quantifier();
    let expression = parser.either()?;
    match parser.peek() {
        Token::End => Ok((quantifier, expression)),
        other => error(
            parser.column(),
            format!("{} is too much here; join claims with and, or", shown(other)),
        ),
    }
}

/// An expression without a quantifier before it.
pub(super) fn parse_value(tokens: Vec<(usize, Token)>) -> Result<Node, ClaimError> {
    let column = tokens.first().map_or(1, |(column, _)| *column);
    match parse(tokens)? {
        (None, expression) => Ok(expression),
        (Some(_), _) => error(column, "a quantifier belongs before a claim, not before a figure"),
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(_, token)| token)
    }
    fn column(&self) -> usize {
        self.tokens
            .get(self.at)
            .or(self.tokens.last())
            .map_or(1, |(column, _)| *column)
    }
    fn takes(&mut self, token: &Token) -> bool {
        let there = self.peek() == token;
        self.at += usize::from(there);
        there
    }
    fn takes_sign(&mut self, sign: &'static str) -> bool {
        self.takes(&Token::Sign(sign))
    }
    fn takes_word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Token::Word(w) if w == word);
        self.at += usize::from(there);
        there
    }
    fn needs_sign(&mut self, sign: &'static str, after: &str) -> Result<(), ClaimError> {
        if self.takes_sign(sign) {
            return Ok(());
        }
        error(
            self.column(),
            format!("{} after {after}, found {}", sign, shown(self.peek())),
        )
    }

    fn quantifier(&mut self) -> Option<Quantifier> {
        let known = [
            ("all", Quantifier::All),
            ("some", Quantifier::Some),
            ("median", Quantifier::Median),
            ("p99", Quantifier::P99),
        ];
        let found = known.into_iter().find(|(word, _)| self.takes_word(word));
        found.map(|(_, quantifier)| quantifier)
    }

    fn either(&mut self) -> Result<Node, ClaimError> {
        let mut left = self.both()?;
        while self.takes_word("or") {
            left = binary(Operator::Or, left, self.both()?);
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Node, ClaimError> {
        let mut left = self.negation()?;
        while self.takes_word("and") {
            left = binary(Operator::And, left, self.negation()?);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Node, ClaimError> {
        let column = self.column();
        if self.takes_word("not") {
            let inner = self.deeper(Parser::negation)?;
            return Ok(Node {
                column,
                kind: Kind::Not(Box::new(inner)),
            });
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Node, ClaimError> {
        let left = self.sum()?;
        let compared = if self.takes_word("in") {
            self.range(left)?
        } else {
            match self.operator(&COMPARISONS) {
                Some(operator) => binary(operator, left, self.sum()?),
                None => return Ok(left),
            }
        };
        let column = self.column();
        if self.operator(&COMPARISONS).is_some() || self.takes_word("in") {
            return error(
                column,
                "compare two values at a time, and join the comparisons with and",
            );
        }
        Ok(compared)
    }

    fn range(&mut self, value: Node) -> Result<Node, ClaimError> {
        let from = self.sum()?;
        let closed = self.takes_sign("..=");
        if !closed {
            self.needs_sign("..", "the lower end of a range, as in 10..20 or 10..=20")?;
        }
        let to = self.sum()?;
        let (column, value) = (value.column, Box::new(value));
        let (from, to) = (Box::new(from), Box::new(to));
        Ok(Node {
            column,
            kind: Kind::In {
                value,
                from,
                to,
                closed,
            },
        })
    }

    fn sum(&mut self) -> Result<Node, ClaimError> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(&[("+", Operator::Plus), ("-", Operator::Minus)]) {
            left = binary(operator, left, self.product()?);
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, ClaimError> {
        let mut left = self.negative()?;
        while let Some(operator) = self.operator(&[("*", Operator::Times), ("/", Operator::Over)]) {
            left = binary(operator, left, self.negative()?);
        }
        Ok(left)
    }

    fn negative(&mut self) -> Result<Node, ClaimError> {
        let column = self.column();
        if self.takes_sign("-") {
            let inner = self.deeper(Parser::negative)?;
            return Ok(Node {
                column,
                kind: Kind::Negative(Box::new(inner)),
            });
        }
        self.value()
    }

    fn value(&mut self) -> Result<Node, ClaimError> {
        let column = self.column();
        let kind = match self.peek().clone() {
            Token::Number(number) => Kind::Number(number),
            Token::Time(ms) => Kind::Time(ms),
            Token::Text(text) => Kind::Text(text),
            Token::Word(word) => match word.as_str() {
                "true" => Kind::Bool(true),
                "false" => Kind::Bool(false),
                "null" => Kind::Null,
                "and" | "or" | "not" | "in" | "all" | "some" | "median" | "p99" => {
                    return error(column, format!("a value is missing before {word}"));
                }
                _ => return self.path(column, word),
            },
            Token::Sign("(") => {
                self.at += 1;
                let inner = self.deeper(Parser::either)?;
                self.needs_sign(")", "what the parenthesis encloses")?;
                return Ok(inner);
            }
            other => return error(column, format!("a value is missing here, found {}", shown(&other))),
        };
        self.at += 1;
        Ok(Node { column, kind })
    }

    fn path(&mut self, column: usize, first: String) -> Result<Node, ClaimError> {
        self.at += 1;
        let mut segments = vec![Segment {
            column,
            kind: SegmentKind::Field(first),
        }];
        loop {
            let dot = self.takes_sign(".");
            let column = self.column();
            let kind = match self.peek().clone() {
                Token::Word(name) if dot => SegmentKind::Field(name),
                other if dot => {
                    return error(
                        column,
                        format!("a name is missing after the dot, found {}", shown(&other)),
                    );
                }
                Token::Sign("[") => {
                    self.at += 1;
                    self.index()?
                }
                _ => break,
            };
            if dot {
                self.at += 1;
            }
            segments.push(Segment { column, kind });
        }
        Ok(Node {
            column,
            kind: Kind::Path(Path(segments)),
        })
    }

    fn index(&mut self) -> Result<SegmentKind, ClaimError> {
        let kind = match self.peek().clone() {
            Token::Number(number) if number.fract() == 0.0 && number < 1e6 => SegmentKind::Index(number as usize),
            Token::Text(name) => SegmentKind::Named(name),
            other => {
                let problem = format!(
                    "a whole number or a quoted name belongs in brackets, found {}",
                    shown(&other)
                );
                return error(self.column(), problem);
            }
        };
        self.at += 1;
        self.needs_sign("]", "the index")?;
        Ok(kind)
    }

    fn operator(&mut self, among: &[(&'static str, Operator)]) -> Option<Operator> {
        among
            .iter()
            .find(|(sign, _)| self.takes_sign(sign))
            .map(|(_, operator)| *operator)
    }

    /// The parser calls itself for what is nested; without a limit a long row of parentheses would exhaust the stack.
    fn deeper(&mut self, part: fn(&mut Parser) -> Result<Node, ClaimError>) -> Result<Node, ClaimError> {
        if self.depth == DEPTH_MAX {
            return error(self.column(), format!("at most {DEPTH_MAX} parts may be nested"));
        }
        self.depth += 1;
        let node = part(self);
        self.depth -= 1;
        node
    }
}

const COMPARISONS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

fn binary(operator: Operator, left: Node, right: Node) -> Node {
    Node {
        column: left.column,
        kind: Kind::Binary(operator, Box::new(left), Box::new(right)),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Number(number) => number.to_string(),
        Token::Time(ms) => format!("{ms} ms"),
        Token::Text(text) => format!("{text:?}"),
        Token::Sign(sign) => (*sign).to_owned(),
        Token::End => "the end".to_owned(),
    }
}
