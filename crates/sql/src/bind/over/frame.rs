//! Frames: how many rows around the current one, or how near to it in the order, a window function looks at.

use sqlparser::ast::{self, WindowFrameBound, WindowFrameUnits};
use types::cast::CastTarget;
use types::error::Condition;

use super::super::expr::Binder;
use super::super::{Result, targets, unsupported};
use crate::expr::typing::Kind;
use crate::expr::{ArithOp, Expr, IntervalUnit, Types};
use crate::plan::over::error;
use crate::plan::{Distance, Frame, FrameBound, Window};

/// Whether an interval has no days.
fn is_of_time(unit: IntervalUnit) -> bool {
    use IntervalUnit as U;
    matches!(
        unit,
        U::Microsecond
            | U::Second
            | U::Minute
            | U::Hour
            | U::SecondMicrosecond
            | U::MinuteMicrosecond
            | U::MinuteSecond
            | U::HourMicrosecond
            | U::HourSecond
            | U::HourMinute
    )
}

impl Binder<'_, '_> {
    /// The frame of a window. Errors 3584 to 3590, 3596.
    pub(super) fn frame(&mut self, ast: &ast::WindowFrame, window: &Window) -> Result<Frame> {
        use WindowFrameBound::{CurrentRow, Following, Preceding};
        let fails = |condition: &Condition| Err(condition.error(&[&window.name]));
        let is_range = match ast.units {
            WindowFrameUnits::Rows => false,
            WindowFrameUnits::Range => true,
            WindowFrameUnits::Groups => return Err(unsupported("GROUPS")),
        };
        let (start, end) = (&ast.start_bound, ast.end_bound.as_ref().unwrap_or(&CurrentRow));
        match (start, end) {
            (Following(None), _) => return fails(&error::FRAME_START_ILLEGAL),
            (_, Preceding(None)) => return fails(&error::FRAME_END_ILLEGAL),
            (CurrentRow, Preceding(_)) | (Following(_), CurrentRow | Preceding(_)) => {
                return fails(&error::FRAME_ILLEGAL);
            }
            _ => {}
        }
        let mut bound = |ast: &WindowFrameBound| -> Result<FrameBound> {
            Ok(match ast {
                CurrentRow => FrameBound::CurrentRow,
                Preceding(None) | Following(None) => FrameBound::Unbounded,
                Preceding(Some(size)) => FrameBound::Preceding(self.distance(size, is_range, false, window)?),
                Following(Some(size)) => FrameBound::Following(self.distance(size, is_range, true, window)?),
            })
        };
        Ok(Frame { is_range, start: bound(start)?, end: bound(end)? })
    }

    fn distance(
        &mut self,
        ast: &ast::Expr,
        is_range: bool,
        follows: bool,
        window: &Window,
    ) -> Result<Distance> {
        let fails = |condition: &Condition| Err(condition.error(&[&window.name]));
        let (size, unit) = match ast {
            ast::Expr::Interval(interval) => (&*interval.value, Some(targets::interval_unit(interval)?)),
            size => (size, None),
        };
        let bound = self.bind(size)?;
        if !self.is_fixed(&bound) {
            return fails(&error::RANGE_BOUND_NOT_CONSTANT);
        }
        if !is_range {
            return match unit {
                Some(_) => fails(&error::ROWS_INTERVAL_USE),
                None => Ok(Distance { size: bound, limit: None }),
            };
        }
        let [(order, descending)] = &window.order[..] else { return fails(&error::RANGE_FRAME_ORDER_TYPE) };
        let adds = follows != *descending;
        if !order.type_is_fixed() {
            self.env.note_kept_type();
        }
        let ty = order.result_type(&Types { schema: self.scope, ..Types::of_session(self.env.session) })?;
        let is_number = ty.kind.is_int() || matches!(ty.kind, Kind::Decimal | Kind::Float | Kind::Double);
        let mut is_stable = true;
        order.walk(&mut |part| is_stable &= !matches!(part, Expr::Call(call, args) if !call.is_stable(args)));
        if !is_stable || !(is_number || ty.kind.is_temporal()) {
            return fails(&error::RANGE_FRAME_ORDER_TYPE);
        }
        let limit = match unit {
            None if !is_number => return fails(&error::RANGE_FRAME_TEMPORAL_TYPE),
            Some(_) if is_number => return fails(&error::RANGE_FRAME_NUMERIC_TYPE),
            None => {
                let (op, sign) = if adds { (ArithOp::Add, '+') } else { (ArithOp::Sub, '-') };
                let text = format!("(ORDER BY {sign} {size})").into();
                Expr::Arith(op, Box::new(order.clone()), Box::new(bound.clone()), text)
            }
            Some(unit) => {
                let interval = Expr::Interval(Box::new(bound.clone()), unit);
                let name = if adds { "date_add" } else { "date_sub" };
                let moment = self.call_bound(name, vec![order.clone(), interval])?;
                if ty.kind == Kind::Time && !is_of_time(unit) {
                    // A time is one of today; from there it is a time again.
                    let today = self.call_bound("curdate", Vec::new())?;
                    let today = Expr::Cast(Box::new(today), CastTarget::DateTime { fsp: 0 }, "".into());
                    self.call_bound("timediff", vec![moment, today])?
                } else {
                    moment
                }
            }
        };
        Ok(Distance { size: bound, limit: Some(limit) })
    }
}
