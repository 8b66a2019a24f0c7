//! Expressions with a parenthesis around every operation.

use sqlparser::ast::Expr;

/// The text of an expression; what is not known here as it is.
pub fn parenthesised(expr: &Expr) -> String {
    let p = parenthesised;
    let not = |negated: &bool| if *negated { "NOT " } else { "" };
    match expr {
        Expr::Nested(inner) => p(inner),
        Expr::BinaryOp { left, op, right } => format!("({} {op} {})", p(left), p(right)),
        Expr::UnaryOp { op, expr } => format!("({op} {})", p(expr)),
        Expr::Between { expr, negated, low, high } => {
            format!("({} {}BETWEEN {} AND {})", p(expr), not(negated), p(low), p(high))
        }
        Expr::Like { negated, expr, pattern, .. } => {
            format!("({} {}LIKE {})", p(expr), not(negated), p(pattern))
        }
        Expr::RLike { negated, expr, pattern, .. } => {
            format!("({} {}REGEXP {})", p(expr), not(negated), p(pattern))
        }
        Expr::InList { expr, list, negated } => {
            let list: Vec<_> = list.iter().map(p).collect();
            format!("({} {}IN ({}))", p(expr), not(negated), list.join(", "))
        }
        Expr::IsNull(expr) => format!("({} IS NULL)", p(expr)),
        Expr::IsNotNull(expr) => format!("({} IS NOT NULL)", p(expr)),
        Expr::IsTrue(expr) => format!("({} IS TRUE)", p(expr)),
        Expr::IsNotFalse(expr) => format!("({} IS NOT FALSE)", p(expr)),
        other => other.to_string(),
    }
}
