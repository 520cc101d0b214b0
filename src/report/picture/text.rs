//! The picture where there is none: one line per way from a box to the next, for a terminal.

use super::{Kind, Picture, Shape};
use crate::report::human::Style;

pub fn text(picture: &Picture, style: Style) -> String {
    let mut out = format!("{}\n", picture.summary());
    for (i, shape) in picture.shapes.iter().enumerate() {
        let onward: Vec<usize> = picture.lines.iter().filter(|(from, _)| *from == i).map(|(_, to)| *to).collect();
        if onward.is_empty() {
            continue;
        }
        out.push_str(&format!("\n{}\n", style.bold(&named(shape, style))));
        for to in onward {
            out.push_str(&format!("  {} {}\n", style.arrow(), named(&picture.shapes[to], style)));
        }
    }
    out
}

fn named(shape: &Shape, style: Style) -> String {
    let idle = if shape.multiplies { "" } else { ", does not multiply" };
    match shape.kind {
        Kind::Layer => format!("{} {}{}  ({}{idle})", shape.title, style.times(), shape.number, shape.under),
        Kind::Operation => format!("{}  ({})", shape.title, shape.under),
        Kind::Dependency => format!("{} = {}", shape.title, shape.number),
    }
}
