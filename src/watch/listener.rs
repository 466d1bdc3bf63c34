//! The listener for those who watch: `/metrics` (Prometheus), `/health` and `/ready`.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;

use super::standing::Standing;
use crate::failure::{Failure, IO};

/// Tells how the command stands at the moment.
pub(crate) type Stands = Arc<dyn Fn() -> Standing + Send + Sync>;

#[derive(Clone)]
struct Watched {
    metrics: PrometheusHandle,
    stands: Stands,
}

/// Listens from a thread of its own, as long as the process lives. Returns the address, which the system chooses for
/// port 0.
///
/// # Errors
/// That the address cannot be listened on.
pub(crate) fn listen(
    address: SocketAddr,
    metrics: PrometheusHandle,
    stands: Stands,
) -> Result<SocketAddr, Failure> {
    let failure = |error| Failure::caused(IO, format!("{address} cannot be listened on for metrics"), error);
    let listener = TcpListener::bind(address).map_err(failure)?;
    listener.set_nonblocking(true).map_err(failure)?;
    let local = listener.local_addr().map_err(failure)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(failure)?;
    let watched = Watched { metrics, stands };
    let serve = move || {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, router(watched)).await
        })
    };
    std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(move || {
            if let Err(error) = serve() {
                tracing::error!(%error, "the listener for metrics ended");
            }
        })
        .map_err(failure)?;
    Ok(local)
}

fn router(watched: Watched) -> axum::Router {
    axum::Router::new()
        .route("/metrics", get(metrics))
        .route("/health", get(health))
        .route("/ready", get(ready))
        .with_state(watched)
}

async fn metrics(State(watched): State<Watched>) -> Response {
    watched.metrics.run_upkeep();
    let form = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (form, watched.metrics.render()).into_response()
}

async fn health(State(watched): State<Watched>) -> Response {
    let standing = (watched.stands)();
    answer(standing.status.is_healthy(), standing)
}

async fn ready(State(watched): State<Watched>) -> Response {
    let standing = (watched.stands)();
    answer(standing.status.is_ready(), standing)
}

fn answer(is_well: bool, standing: Standing) -> Response {
    let status = if is_well {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, Json(standing)).into_response()
}
