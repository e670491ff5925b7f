//! What of this machine an FMU's results may depend on: target, CPU features, C library.

use serde_json::{Value, json};

/// The host as the manifest keeps it.
pub fn describe() -> Value {
    json!({
        "target": env!("CONSORT_TARGET"),
        "cpu_features": cpu_features(),
        "libc": libc_version().unwrap_or_else(|| "unknown".to_owned()),
    })
}

/// The most memory this process has had, in bytes, where the system reports it.
pub fn memory_peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// What differs between two hosts, as text: `libc: glibc 2.36, now glibc 2.41`.
pub fn differences(before: &Value, now: &Value) -> Vec<String> {
    let names = ["target", "cpu_features", "libc"];
    let differing = names.iter().filter(|name| before[**name] != now[**name]);
    let describe = |name: &&str| match (before[*name].as_array(), now[*name].as_array()) {
        (Some(before), Some(now)) => format!("{}: {}", spaced(name), list_change(before, now)),
        _ => format!("{}: {}, now {}", spaced(name), plain(&before[*name]), plain(&now[*name])),
    };
    differing.map(describe).collect()
}

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `without avx2, with sse3`.
fn list_change(before: &[Value], now: &[Value]) -> String {
    let missing = |of: &[Value], from: &[Value]| -> Vec<String> {
        of.iter().filter(|item| !from.contains(item)).map(plain).collect()
    };
    let changes = [("without", missing(before, now)), ("with", missing(now, before))];
    let describe = |(word, items): &(&str, Vec<String>)| format!("{word} {}", items.join(" "));
    let parts: Vec<String> =
        changes.iter().filter(|(_, items)| !items.is_empty()).map(describe).collect();
    format!("now {}", parts.join(", "))
}

/// The features that C libraries choose their mathematics by.
#[cfg(target_arch = "x86_64")]
fn cpu_features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt),*) => {
            [$(($name, std::is_x86_feature_detected!($name))),*]
        };
    }
    let features = detected![
        "sse3", "ssse3", "sse4.1", "sse4.2", "avx", "avx2", "fma", "bmi1", "bmi2", "avx512f"
    ];
    features.iter().filter(|(_, here)| *here).map(|(name, _)| *name).collect()
}

/// The features that C libraries choose their mathematics by.
#[cfg(target_arch = "aarch64")]
fn cpu_features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt),*) => {
            [$(($name, std::arch::is_aarch64_feature_detected!($name))),*]
        };
    }
    let features = detected!["neon", "fp16", "sve", "sve2"];
    features.iter().filter(|(_, here)| *here).map(|(name, _)| *name).collect()
}

/// Unknown machines differ by their target only.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn cpu_features() -> Vec<&'static str> {
    Vec::new()
}

/// Reads the version of the C library from its file; calling it would need a foreign function.
fn libc_version() -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut paths = maps.lines().filter_map(|line| line.split_ascii_whitespace().nth(5));
    let is_libc = |path: &&str| path.contains("/libc.so") || path.contains("/libc-");
    let path = paths.find(is_libc)?;
    let bytes = std::fs::read(path).ok()?;
    let marker = b"GNU C Library";
    let start = memchr::memmem::find(&bytes, marker)?;
    let line = bytes[start..].split(|&byte| byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let version = line.rsplit("version ").next()?.trim_end_matches('.');
    Some(format!("glibc {version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_hosts_are_distinguished_by_what_differs() {
        let host = |libc: &str, features: &[&str]| json!({"target": "t", "cpu_features": features, "libc": libc});
        let before = host("glibc 2.36", &["sse3", "avx2"]);
        assert_eq!(differences(&before, &before), Vec::<String>::new());
        assert_eq!(
            differences(&before, &host("glibc 2.41", &["sse3", "fma"])),
            ["cpu features: now without avx2, with fma", "libc: glibc 2.36, now glibc 2.41"]
        );
    }

    #[test]
    #[cfg(target_env = "gnu")]
    fn the_c_library_is_known() {
        let version = libc_version().unwrap();
        assert!(version.starts_with("glibc 2."), "{version}");
        assert!(version.len() < 20, "{version}");
    }
}
