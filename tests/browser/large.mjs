// A made-up system of many operations: a Rust service with that many handlers over twenty clients, each with a loop of its
// own.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const handler = (i) => `
pub async fn operation_${i}(State(app): State<App>) -> StatusCode {
    match app.client.pull_${i % 20}().await {
        Ok(_) => StatusCode::OK,
        Err(_) => StatusCode::BAD_GATEWAY,
    }
}
`;

const client = (i) => `
    pub async fn pull_${i}(&self) -> Result<String, reqwest::Error> {
        let mut turn = 0;
        loop {
            match self.http.get("http://stock-${i}.example.com/items").send().await {
                Ok(answer) => return answer.text().await,
                Err(e) if turn >= ${2 + (i % 4)} => return Err(e),
                Err(_) => turn += 1,
            }
        }
    }
`;

export function large(folder, operations) {
  const all = [...Array(operations).keys()];
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "Cargo.toml"), `[package]
name = "many"
version = "0.0.0"
edition = "2024"
[dependencies]
axum = "0.8"
reqwest = "0.12"
tokio = { version = "1", features = ["full"] }
`);
  writeFileSync(join(folder, "src/main.rs"), `use axum::{Router, extract::State, http::StatusCode, routing::get};

#[derive(Clone)]
pub struct App { client: Client }

#[derive(Clone)]
pub struct Client { http: reqwest::Client }

impl Client {
${[...Array(20).keys()].map(client).join("")}}
${all.map(handler).join("")}
#[tokio::main]
async fn main() {
    let app = App { client: Client { http: reqwest::Client::new() } };
    let router = Router::new()
${all.map((i) => `        .route("/operation_${i}", get(operation_${i}))`).join("\n")}
        .with_state(app);
    let listener = tokio::net::TcpListener::bind("0.0.0.0:8080").await.unwrap();
    axum::serve(listener, router).await.unwrap();
}
`);
}
