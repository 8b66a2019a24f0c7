//! What parameters are taken for, by what they stand beside.
//!
//! A client may send any number or date as a text. As in MySQL a parameter has the type of its place: beside an integer a text
//! is the number that it says, so that nothing is computed or compared in doubles. The binder notes what is beside each
//! parameter; the types of literals, which plans do not know, are looked at with each execution ([`crate::params`]).

use types::value::Value;

use super::expr::Binder;
use crate::expr::typing::Kind;
use crate::expr::{ArithOp, Expr, Types};
use crate::params::{Class, ParamPlace, Taken};

impl Binder<'_, '_> {
    /// Notes that these stand beside each other.
    pub(super) fn note_params(&self, all: &[&Expr], place: ParamPlace) {
        let params: Vec<usize> = all.iter().filter_map(|expr| param(expr)).collect();
        if params.is_empty() || params.len() == all.len() {
            return;
        }
        let mut taken = Taken { place, class: None, literals: Vec::new() };
        for expr in all.iter().filter(|expr| param(expr).is_none()) {
            if let Expr::Literal(number) = expr {
                taken.literals.push(*number);
                continue;
            }
            if matches!(expr, Expr::Const(Value::Null)) {
                continue;
            }
            let is_number = |class: &Class| matches!(class, Class::Integer | Class::Decimal);
            // Dates are numbers where they are added.
            let fits = |class: &Class| place != ParamPlace::Arithmetic || is_number(class);
            let Some(class) = self.class(expr).filter(fits) else { return };
            let both = taken.class.map_or(Some(class), |known| known.with(class));
            taken.class = both;
            if both.is_none() {
                return;
            }
        }
        self.env.params.borrow_mut().note(params, taken);
    }

    /// What a parameter beside this is; `None` if it stays what it is, or if the type is not known yet.
    fn class(&self, expr: &Expr) -> Option<Class> {
        if let Expr::Arith(ArithOp::Add | ArithOp::Sub | ArithOp::Mul, left, right, _) = expr {
            // The parameter has the class of the other operand, and so has what they make.
            match (param(left), param(right)) {
                (Some(_), None) => return self.class(right),
                (None, Some(_)) => return self.class(left),
                _ => {}
            }
        }
        let mut is_open = false;
        let open = |part: &Expr| matches!(part, Expr::Literal(_) | Expr::Param(_) | Expr::UserVariable(..));
        expr.walk(&mut |part| is_open |= open(part));
        if is_open {
            return None;
        }
        if !expr.type_is_fixed() {
            self.env.note_kept_type();
        }
        let types = Types { schema: self.scope, ..Types::of_session(self.env.session) };
        class_of(expr.result_type(&types).ok()?.kind)
    }

    /// Notes what a parameter is, whatever stands beside it.
    pub(super) fn note_param(&self, expr: &Expr, class: Class) {
        if let Some(number) = param(expr) {
            let taken = Taken { place: ParamPlace::Alone, class: Some(class), literals: Vec::new() };
            self.env.params.borrow_mut().note([number], taken);
        }
    }
}

fn param(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Param(number) => Some(*number),
        Expr::OrZeroDate(inner) => param(inner),
        _ => None,
    }
}

/// What a parameter beside a value of this kind is; `None` if it stays what it is.
fn class_of(kind: Kind) -> Option<Class> {
    Some(match kind {
        Kind::Int(_) => Class::Integer,
        Kind::Decimal => Class::Decimal,
        Kind::Date => Class::Date,
        Kind::DateTime | Kind::Timestamp => Class::DateTime,
        Kind::Time => Class::Time,
        _ => return None,
    })
}
