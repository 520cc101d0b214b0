//! The part of SARIF 2.1.0 that is written, with the standard's own names.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Serialize)]
pub struct Log<'a> {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: [RunRow<'a>; 1],
}

/// A `run` of the standard.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRow<'a> {
    pub tool: Tool,
    pub invocations: [Invocation; 1],
    pub original_uri_base_ids: BTreeMap<&'static str, Base>,
    pub column_kind: &'static str,
    pub results: Vec<ResultRow<'a>>,
}

#[derive(Serialize)]
pub struct Tool {
    pub driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Driver {
    pub name: &'static str,
    pub semantic_version: &'static str,
    pub rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
}

#[derive(Serialize)]
pub struct Base {
    pub description: Message,
}

/// A `reportingDescriptor`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub id: &'static str,
    pub name: &'static str,
    pub short_description: Message,
    pub full_description: Message,
    pub help: Help,
    pub default_configuration: Configuration,
    pub properties: Tags,
}

#[derive(Serialize)]
pub struct Help {
    pub text: &'static str,
    pub markdown: &'static str,
}

#[derive(Serialize)]
pub struct Configuration {
    pub enabled: bool,
    pub level: &'static str,
}

#[derive(Serialize)]
pub struct Tags {
    pub tags: [&'static str; 2],
}

#[derive(Serialize)]
pub struct Message {
    pub text: String,
}

/// A `result`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultRow<'a> {
    pub rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
    pub level: &'static str,
    pub message: Message,
    pub locations: [Location<'a>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_flows: Vec<CodeFlow<'a>>,
    pub partial_fingerprints: BTreeMap<&'static str, &'a str>,
    /// Empty means not suppressed; absent would mean unknown.
    pub suppressions: Vec<Suppression<'a>>,
    pub properties: Properties,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    pub physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_locations: Option<[Logical<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Physical {
    pub artifact_location: Artifact,
    pub region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub uri: String,
    pub uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u32,
    pub start_column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Logical<'a> {
    pub fully_qualified_name: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeFlow<'a> {
    pub thread_flows: [ThreadFlow<'a>; 1],
}

#[derive(Serialize)]
pub struct ThreadFlow<'a> {
    pub locations: Vec<Step<'a>>,
}

/// A `threadFlowLocation`.
#[derive(Serialize)]
pub struct Step<'a> {
    pub location: Location<'a>,
}

#[derive(Serialize)]
pub struct Suppression<'a> {
    pub kind: &'static str,
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub justification: Option<&'a str>,
    pub location: Location<'a>,
}

#[derive(Serialize)]
pub struct Properties {
    pub confidence: &'static str,
    pub precision: &'static str,
}
