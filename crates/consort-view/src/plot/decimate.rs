//! Fewer points, same picture: per column of pixels the first, last, least and greatest sample.
//!
//! Lines through these four cover the same pixels as lines through all samples of the column, so a
//! spike of one sample never disappears.

/// The samples between gaps: pairs that are not finite end a run.
pub(super) fn runs(samples: impl Iterator<Item = (f64, f64)>) -> Vec<Vec<(f64, f64)>> {
    let mut runs = vec![Vec::new()];
    for (time, value) in samples {
        if time.is_finite() && value.is_finite() {
            runs.last_mut().expect("there is always a last run").push((time, value));
        } else {
            runs.push(Vec::new());
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// At most four points per column of a run that has more than `whole_max` points.
///
/// `column` says in which column of pixels a time is.
pub(super) fn thin(
    run: &[(f64, f64)],
    whole_max: usize,
    column: impl Fn(f64) -> i64,
) -> Vec<(f64, f64)> {
    if run.len() <= whole_max {
        return run.to_vec();
    }
    run.chunk_by(|a, b| column(a.0) == column(b.0)).flat_map(four_of).collect()
}

/// A run over an axis that is not time, without the points that lie in the same pixel as the one before, if it
/// has more than `whole_max` points.
pub(super) fn thin_path(
    run: &[(f64, f64)],
    whole_max: usize,
    pixel: impl Fn((f64, f64)) -> (i64, i64),
) -> Vec<(f64, f64)> {
    if run.len() <= whole_max {
        return run.to_vec();
    }
    let mut thinned: Vec<(f64, f64)> =
        run.chunk_by(|a, b| pixel(*a) == pixel(*b)).map(|chunk| chunk[0]).collect();
    thinned.extend(run.last());
    thinned
}

/// First, least, greatest and last, in order of time, none twice.
fn four_of(chunk: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let by_value = |&a: &usize, &b: &usize| chunk[a].1.total_cmp(&chunk[b].1);
    let least = (0..chunk.len()).min_by(by_value).expect("a chunk is not empty");
    let greatest = (0..chunk.len()).max_by(by_value).expect("a chunk is not empty");
    let mut kept = [0, least, greatest, chunk.len() - 1];
    kept.sort_unstable();
    let mut points: Vec<usize> = kept.to_vec();
    points.dedup();
    points.into_iter().map(|index| chunk[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_of_one_sample_survives() {
        let mut run: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
        run[54_321].1 = 9.0;
        run[54_400].1 = -9.0;
        let thinned = thin(&run, 2_000, |time| (time / 200.0) as i64);
        assert!(thinned.len() <= 4 * 500);
        assert!(thinned.contains(&(54_321.0, 9.0)));
        assert!(thinned.contains(&(54_400.0, -9.0)));
        assert!(thinned.is_sorted_by(|a, b| a.0 <= b.0));
        assert_eq!((thinned[0], thinned[thinned.len() - 1]), (run[0], run[run.len() - 1]));
    }

    #[test]
    fn a_path_keeps_every_pixel_it_goes_through() {
        let run: Vec<(f64, f64)> =
            (0..40_000).map(|i| (f64::from(i % 400) / 100.0, f64::from(i / 400))).collect();
        let pixel = |(x, y): (f64, f64)| (x.floor() as i64, y.floor() as i64);
        let thinned = thin_path(&run, 2_000, pixel);
        assert_eq!(thinned.len(), 4 * 100 + 1);
        assert_eq!((thinned[0], thinned[400]), (run[0], run[39_999]));
        assert_eq!(thin_path(&run, 40_000, pixel), run);
    }

    #[test]
    fn short_runs_stay_whole() {
        let run: Vec<(f64, f64)> = (0..2_000).map(|i| (f64::from(i), 1.0)).collect();
        assert_eq!(thin(&run, 2_000, |_| 0), run);
    }

    #[test]
    fn what_is_not_finite_ends_a_run() {
        let values = [f64::NAN, 1.0, 2.0, f64::INFINITY, f64::NEG_INFINITY, 3.0];
        let samples = values.iter().enumerate().map(|(i, &value)| (i as f64, value));
        assert_eq!(runs(samples), [vec![(1.0, 1.0), (2.0, 2.0)], vec![(5.0, 3.0)]]);
        assert!(runs([].into_iter()).is_empty());
    }
}
