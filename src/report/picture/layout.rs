//! Where the boxes stand: columns from left to right along the paths, in each column an order with few crossings, and
//! heights that bring neighbours close. A line over several columns gets a waypoint in each, so that it passes between the
//! boxes. The same picture gives the same places.

use super::{Kind, Picture};

/// Pixels.
pub const BOX_HEIGHT: f64 = 42.0;
const WAYPOINT_HEIGHT: f64 = 6.0;
const ROW_GAP: f64 = 14.0;
const COLUMN_GAP: f64 = 60.0;
const MARGIN: f64 = 16.0;
const NARROWEST: f64 = 130.0;
const WIDEST: f64 = 260.0;
/// Sweeps over the columns; a large picture gets fewer.
const SWEEPS: usize = 16;
const LARGE: usize = 4_000;

/// A box: the left upper corner, and its width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
}

impl Rect {
    pub fn middle(&self) -> f64 {
        self.y + BOX_HEIGHT / 2.0
    }
}

/// The whole picture in pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// One for each shape.
    pub boxes: Vec<Rect>,
    /// One for each line: the points that it passes, from the right side of a box to the left side of another.
    pub routes: Vec<Vec<(f64, f64)>>,
}

/// Places every box of the picture; `wide` is the width that a box wants for its text.
pub fn place(picture: &Picture, wide: impl Fn(usize) -> f64) -> Layout {
    let columns = columns(picture);
    let mut grid = Grid::new(picture, &columns);
    grid.order();
    let middles = grid.heights();
    let count = grid.columns.len();
    let mut widths = vec![NARROWEST; count];
    for (i, column) in columns.iter().enumerate() {
        widths[*column] = widths[*column].max(wide(i)).min(WIDEST);
    }
    let mut lefts = vec![MARGIN; count];
    for c in 1..count {
        lefts[c] = lefts[c - 1] + widths[c - 1] + COLUMN_GAP;
    }
    let at = |i: usize| Rect { x: lefts[columns[i]], y: middles[i] - BOX_HEIGHT / 2.0, width: widths[columns[i]] };
    let boxes: Vec<Rect> = (0..columns.len()).map(at).collect();
    let routes = grid.routes.iter().map(|route| {
        let (from, to) = (&boxes[route[0]], &boxes[route[route.len() - 1]]);
        let mut points = vec![(from.x + from.width, from.middle())];
        for point in &route[1..route.len() - 1] {
            let column = grid.column_of[*point];
            points.push((lefts[column], middles[*point]));
            points.push((lefts[column] + widths[column], middles[*point]));
        }
        points.push((to.x, to.middle()));
        points
    });
    let bottom = middles.iter().fold(0.0, |a: f64, b| a.max(*b)) + BOX_HEIGHT / 2.0 + MARGIN;
    let right = lefts.last().zip(widths.last()).map_or(0.0, |(x, w)| x + w) + MARGIN;
    Layout { width: right, height: bottom, routes: routes.collect(), boxes }
}

/// Operations first, dependencies last, a layer behind everything that leads to it. A line that would close a circle does
/// not count.
fn columns(picture: &Picture) -> Vec<usize> {
    let n = picture.shapes.len();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (from, to) in &picture.lines {
        after[*from].push(*to);
    }
    let mut column = vec![0; n];
    for (from, onward) in forward(&after) {
        for to in onward {
            column[to] = column[to].max(column[from] + 1);
        }
    }
    let is = |i: usize, kind: Kind| picture.shapes[i].kind == kind;
    let deepest = (0..n).filter(|i| !is(*i, Kind::Dependency)).map(|i| column[i]).max().unwrap_or(0);
    (0..n).map(|i| if is(i, Kind::Dependency) { deepest + 1 } else { column[i] }).collect()
}

/// Every box before those that it leads to, with these, and without the lines that close a circle.
fn forward(after: &[Vec<usize>]) -> Vec<(usize, Vec<usize>)> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; after.len()];
    let mut onward: Vec<Vec<usize>> = vec![Vec::new(); after.len()];
    let mut left = Vec::new();
    for root in 0..after.len() {
        let mut open = if state[root] == State::New { vec![(root, 0)] } else { Vec::new() };
        while let Some((at, next)) = open.pop() {
            state[at] = State::Open;
            let Some(to) = after[at].get(next) else {
                state[at] = State::Done;
                left.push(at);
                continue;
            };
            open.push((at, next + 1));
            if state[*to] != State::Open {
                onward[at].push(*to);
            }
            if state[*to] == State::New {
                open.push((*to, 0));
            }
        }
    }
    left.into_iter().rev().map(|at| (at, std::mem::take(&mut onward[at]))).collect()
}

/// Boxes and waypoints in columns, and which stand beside which.
struct Grid {
    /// Members of each column, from top to bottom.
    columns: Vec<Vec<usize>>,
    column_of: Vec<usize>,
    boxes: usize,
    left: Vec<Vec<usize>>,
    right: Vec<Vec<usize>>,
    /// For each line the box it begins at, its waypoints and the box it ends at.
    routes: Vec<Vec<usize>>,
}

impl Grid {
    fn new(picture: &Picture, column_of: &[usize]) -> Grid {
        let mut grid = Grid {
            columns: vec![Vec::new(); column_of.iter().max().map_or(0, |c| c + 1)],
            column_of: column_of.to_vec(),
            boxes: column_of.len(),
            left: Vec::new(),
            right: Vec::new(),
            routes: Vec::new(),
        };
        for (from, to) in &picture.lines {
            let mut route = vec![*from];
            for column in column_of[*from] + 1..column_of[*to] {
                route.push(grid.column_of.len());
                grid.column_of.push(column);
            }
            route.push(*to);
            grid.routes.push(route);
        }
        grid.left = vec![Vec::new(); grid.column_of.len()];
        grid.right = grid.left.clone();
        for route in grid.routes.iter().filter(|r| grid.column_of[r[0]] < grid.column_of[r[r.len() - 1]]) {
            for pair in route.windows(2) {
                grid.right[pair[0]].push(pair[1]);
                grid.left[pair[1]].push(pair[0]);
            }
        }
        for (i, column) in grid.column_of.iter().enumerate() {
            grid.columns[*column].push(i);
        }
        grid
    }

    /// Puts each column in the order of the middles of its neighbours, from left to right and back, and keeps the best.
    fn order(&mut self) {
        let sweeps = if self.column_of.len() > LARGE { 4 } else { SWEEPS };
        let mut best = (self.crossings(), self.columns.clone());
        for sweep in 0..sweeps {
            let rightward = sweep % 2 == 0;
            let last = self.columns.len();
            for step in 1..last {
                self.sort(if rightward { step } else { last - 1 - step }, rightward);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
        }
        self.columns = best.1;
    }

    fn sort(&mut self, column: usize, by_left: bool) {
        let mut position = vec![0.0; self.column_of.len()];
        for members in &self.columns {
            members.iter().enumerate().for_each(|(i, m)| position[*m] = i as f64);
        }
        let beside = if by_left { &self.left } else { &self.right };
        let mut members: Vec<(f64, usize)> = Vec::new();
        for m in &self.columns[column] {
            members.push((mean(&beside[*m], &position).unwrap_or(position[*m]), *m));
        }
        members.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.columns[column] = members.into_iter().map(|(_, m)| m).collect();
    }

    /// Pairs of lines that cross between two columns.
    fn crossings(&self) -> u64 {
        let mut position = vec![0; self.column_of.len()];
        for members in &self.columns {
            members.iter().enumerate().for_each(|(i, m)| position[*m] = i);
        }
        let mut all = 0;
        for members in &self.columns {
            let mut ends: Vec<(usize, usize)> = Vec::new();
            for m in members {
                ends.extend(self.right[*m].iter().map(|to| (position[*m], position[*to])));
            }
            ends.sort_unstable();
            all += inversions(ends.into_iter().map(|(_, to)| to).collect());
        }
        all
    }

    /// The middle of each box and waypoint.
    fn heights(&self) -> Vec<f64> {
        let mut middle = vec![0.0; self.column_of.len()];
        for members in &self.columns {
            let mut y = 0.0;
            for m in members {
                middle[*m] = y + self.height(*m) / 2.0;
                y += self.height(*m) + ROW_GAP;
            }
        }
        for round in 0..6 {
            for step in 0..self.columns.len() {
                let rightward = round % 2 == 0;
                let column = &self.columns[if rightward { step } else { self.columns.len() - 1 - step }];
                let beside = if rightward { &self.left } else { &self.right };
                let wanted: Vec<f64> =
                    column.iter().map(|m| mean(&beside[*m], &middle).unwrap_or(middle[*m])).collect();
                let heights: Vec<f64> = column.iter().map(|m| self.height(*m)).collect();
                column.iter().zip(settle(&wanted, &heights)).for_each(|(m, y)| middle[*m] = y);
            }
        }
        let top = (0..middle.len()).map(|m| middle[m] - self.height(m) / 2.0).fold(f64::INFINITY, f64::min);
        middle.iter().map(|y| y - top + MARGIN).collect()
    }

    fn height(&self, member: usize) -> f64 {
        if member < self.boxes { BOX_HEIGHT } else { WAYPOINT_HEIGHT }
    }
}

fn mean(of: &[usize], values: &[f64]) -> Option<f64> {
    (!of.is_empty()).then(|| of.iter().map(|i| values[*i]).sum::<f64>() / of.len() as f64)
}

/// How often an earlier number is larger than a later one.
fn inversions(mut numbers: Vec<usize>) -> u64 {
    let mut count = 0;
    let mut spare = numbers.clone();
    let mut run = 1;
    while run < numbers.len() {
        for from in (0..numbers.len()).step_by(run * 2) {
            let (middle, end) = ((from + run).min(numbers.len()), (from + run * 2).min(numbers.len()));
            let (mut a, mut b) = (from, middle);
            for slot in &mut spare[from..end] {
                if b == end || (a < middle && numbers[a] <= numbers[b]) {
                    *slot = numbers[a];
                    a += 1;
                } else {
                    *slot = numbers[b];
                    b += 1;
                    count += (middle - a) as u64;
                }
            }
        }
        std::mem::swap(&mut numbers, &mut spare);
        run *= 2;
    }
    count
}

/// The heights nearest to the wanted ones (least squares) that keep the order and a gap between neighbours.
fn settle(wanted: &[f64], heights: &[f64]) -> Vec<f64> {
    let mut offset = Vec::with_capacity(wanted.len());
    for i in 0..wanted.len() {
        let before = i.checked_sub(1).map_or(0.0, |p| offset[p] + (heights[p] + heights[i]) / 2.0 + ROW_GAP);
        offset.push(before);
    }
    // Blocks that moved together: the sum of what their members want, and how many these are.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (y, offset) in wanted.iter().zip(&offset) {
        let mut block = (y - offset, 1);
        while let Some((sum, n)) = blocks.pop_if(|(sum, n)| *sum / *n as f64 > block.0 / block.1 as f64) {
            block = (block.0 + sum, block.1 + n);
        }
        blocks.push(block);
    }
    let tops = blocks.iter().flat_map(|(sum, n)| std::iter::repeat_n(sum / *n as f64, *n));
    tops.zip(&offset).map(|(top, offset)| top + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_inversions() {
        let slow = |n: &[usize]| (0..n.len()).map(|j| n[..j].iter().filter(|i| **i > n[j]).count() as u64).sum::<u64>();
        for numbers in [vec![], vec![1], vec![3, 1, 2], vec![5, 4, 3, 2, 1], vec![2, 2, 1, 1, 3, 0, 7]] {
            assert_eq!(inversions(numbers.clone()), slow(&numbers), "{numbers:?}");
        }
    }

    #[test]
    fn neighbours_keep_their_distance() {
        let heights = [BOX_HEIGHT; 4];
        let settled = settle(&[100.0, 90.0, 100.0, 500.0], &heights);
        assert!(settled.windows(2).all(|w| w[1] - w[0] >= BOX_HEIGHT + ROW_GAP - 1e-9), "{settled:?}");
        assert!((settled[3] - 500.0).abs() < 1e-9, "who has room stands where it wants to: {settled:?}");
        assert!((settled[1] - 290.0 / 3.0).abs() < 1e-9, "the others stand around what they want: {settled:?}");
    }
}
