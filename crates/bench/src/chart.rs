//! The results as a picture: a panel a script, clients to the right, transactions a second upwards, both logarithmic.

use std::fmt::Write;

use crate::figures::Points;
use crate::plan::Plan;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 260.0;
const MARGIN: f64 = 56.0;
const COLOURS: [&str; 9] =
    ["#0b6e4f", "#c1440e", "#1d4e89", "#8a2be2", "#555555", "#d4a017", "#c71585", "#2aa198", "#7a5230"];

/// Names in a row of the legend, and the height of a row.
const NAMES: usize = 2;
const ROW: f64 = 16.0;

/// The picture, as SVG.
pub fn draw(plan: &Plan, points: &Points) -> String {
    let width = (WIDTH + MARGIN) * plan.scripts.len() as f64 + MARGIN;
    let height = HEIGHT + 2.0 * MARGIN + ROW * plan.servers.len().div_ceil(NAMES) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let all = || points.values().map(|sum| sum.median.tps.max(1.0));
    let scale = Scale {
        threads: (
            f64::from(*plan.threads.first().unwrap_or(&1)),
            f64::from(*plan.threads.last().unwrap_or(&1)),
        ),
        tps: (all().fold(f64::MAX, f64::min) / 1.2, all().fold(1.0, f64::max) * 1.2),
    };
    for (panel, script) in plan.scripts.iter().enumerate() {
        let left = MARGIN + panel as f64 * (WIDTH + MARGIN);
        let _ = writeln!(svg, "<text x=\"{left}\" y=\"{}\" font-size=\"14\">{script}</text>", MARGIN - 16.0);
        axes(&mut svg, &scale, plan, left);
        for (number, server) in plan.servers.iter().enumerate() {
            let place = |threads: &u32| {
                let sum = points.get(&(script.clone(), *threads, server.name.clone()))?;
                Some((left + scale.x(f64::from(*threads)), scale.y(sum.median.tps.max(1.0))))
            };
            let places: Vec<_> = plan.threads.iter().filter_map(place).collect();
            let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let colour = COLOURS[number % COLOURS.len()];
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                line.join(" ")
            );
            for (x, y) in places {
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
            let below = MARGIN + HEIGHT + 40.0 + ROW * (number / NAMES) as f64;
            let beside = left + (number % NAMES) as f64 * WIDTH / NAMES as f64;
            let name = &server.name;
            let _ = writeln!(svg, "<text x=\"{beside}\" y=\"{below}\" fill=\"{colour}\">{name}</text>");
        }
    }
    svg += "</svg>\n";
    svg
}

struct Scale {
    threads: (f64, f64),
    tps: (f64, f64),
}

impl Scale {
    fn x(&self, threads: f64) -> f64 {
        let (low, high) = self.threads;
        WIDTH * (threads / low).ln() / (high / low).ln().max(1e-9)
    }

    fn y(&self, tps: f64) -> f64 {
        let (low, high) = self.tps;
        MARGIN + HEIGHT * (1.0 - (tps / low).ln() / (high / low).ln().max(1e-9))
    }
}

fn axes(svg: &mut String, scale: &Scale, plan: &Plan, left: f64) {
    let (right, bottom) = (left + WIDTH, MARGIN + HEIGHT);
    let _ = writeln!(svg, "<path d=\"M{left} {MARGIN}V{bottom}H{right}\" fill=\"none\" stroke=\"#888\"/>");
    for threads in &plan.threads {
        let x = left + scale.x(f64::from(*threads));
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{threads}</text>",
            bottom + 16.0
        );
    }
    let decades = (0..6).map(|power| 10_u32.pow(power));
    for tps in decades.flat_map(|decade| [decade, 2 * decade, 5 * decade]) {
        let y = scale.y(f64::from(tps));
        if (MARGIN..=bottom).contains(&y) {
            let _ = writeln!(svg, "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#eee\"/>");
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tps}</text>",
                left - 4.0,
                y + 4.0
            );
        }
    }
}
