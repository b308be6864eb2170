#include "headgate/notify/span_exporter.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/http/date.hpp"
#include "headgate/notify/retry.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace headgate::notify {
namespace {

constexpr std::uint64_t kMaxSinkAnswer = 64UL * 1024;

/// The text before and after the spans of a request.
std::string envelope_begin(const TraceOptions& options) {
  std::string out = R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":")";
  append_json_text(out, options.service);
  out += R"("}},{"key":"service.instance.id","value":{"stringValue":")";
  append_json_text(out, options.instance);
  out += R"("}},{"key":"service.version","value":{"stringValue":")" HEADGATE_VERSION
         R"("}}]},"scopeSpans":[{"scope":{"name":"headgate","version":")" HEADGATE_VERSION R"("},"spans":[)";
  return out;
}
constexpr std::string_view kEnvelopeEnd = "]}]}]}";

/// Whether the OTLP specification calls this status retryable.
bool may_come_again(unsigned status) noexcept {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

/// Returns how many spans of an accepted request the collector rejected. Its answer has them as
/// `partialSuccess.rejectedSpans`, a number or a string.
std::uint64_t rejected_spans(std::string_view body) noexcept {
  constexpr std::string_view kName = "\"rejectedSpans\"";
  const auto at = body.find(kName);
  if (at == body.npos) return 0;
  body.remove_prefix(at + kName.size());
  const auto digit = body.find_first_not_of(" \t\r\n:\"");
  std::uint64_t out = 0;
  if (digit != body.npos) std::from_chars(body.data() + digit, body.data() + body.size(), out);
  return out;
}

std::string sink_reason(const net::HttpResult& result) {
  return result.has_error() ? result.error() : "it answered " + std::to_string(result->status);
}

}  // namespace

SpanExporter::SpanExporter(boost::asio::io_context& loop, Clock& clock, observe::SpanQueue& queue, TraceOptions options)
    : loop_(loop),
      clock_(clock),
      queue_(queue),
      options_(std::move(options)),
      trust_(std::make_shared<net::Trust>(options_.ca)),
      due_(clock.alarm([](void* self) { static_cast<SpanExporter*>(self)->proceed(); }, this)) {
  due_->set(kPeriod);
}

SpanExporter::~SpanExporter() { drop_all(); }

void SpanExporter::use(TraceOptions options) {
  if (options.ca != options_.ca) trust_ = std::make_shared<net::Trust>(options.ca);
  options_ = std::move(options);
}

void SpanExporter::stop() {
  if (std::exchange(stopping_, true)) return;
  due_.reset();  // A pending timer would keep the loop busy.
  end_ = clock_.alarm([](void* self) { static_cast<SpanExporter*>(self)->drop_all(); }, this);
  end_->set(kLastTime);
  proceed();
}

void SpanExporter::proceed() {
  if (call_) return;
  tell_full();
  if (spans_ > 0 || take_batch()) return attempt();
  if (stopping_) return end_.reset();
  due_->set(kPeriod);
}

bool SpanExporter::take_batch() {
  batch_.clear();
  spans_ = queue_.take(kMaxBatch, batch_);
  attempts_ = 0;
  return spans_ > 0;
}

void SpanExporter::attempt() {
  if (++attempts_ > 1) retried_.fetch_add(1, std::memory_order_relaxed);
  net::HttpRequest request{.method = "POST",
                           .url = options_.url,
                           .trust = trust_,
                           .fields = "Content-Type: application/json\r\n" + options_.fields,
                           .body = envelope_begin(options_),
                           .deadline = options_.timeout,
                           .max_body = kMaxSinkAnswer};
  request.body += batch_;
  request.body += kEnvelopeEnd;
  call_ = net::HttpCall::start(loop_, std::move(request), [this](const net::HttpResult& result) { answered(result); });
}

void SpanExporter::answered(const net::HttpResult& result) {
  call_.reset();
  tell_full();
  const bool again = result.has_error() || may_come_again(result->status);
  const bool full = batch_.size() > kMaxBatch / 2;
  if (result.has_value() && result->status / 100 == 2) {
    count_taken(*result);
    end_batch();
  } else if (!again) {
    drop_batch("the collector rejected them, and they are not sent again", sink_reason(result));
  } else if (stopping_) {
    drop_batch("headgate is shutting down, and the last attempt failed", sink_reason(result));
  } else if (attempts_ >= kAttempts) {
    drop_batch("the last attempt failed, so they are not sent again", sink_reason(result));
  } else {
    return retry(result);
  }
  // If the process stops, or a full batch waits, the next batch follows at once.
  if (stopping_ || full) return proceed();
  due_->set(kPeriod);
}

void SpanExporter::retry(const net::HttpResult& result) {
  const auto asked = result.has_value()
                         ? http::read_retry_after(result->field("Retry-After"), clock_.wall(), kLongestPause)
                         : std::nullopt;
  const auto dice = std::uniform_real_distribution<double>(0, 1)(random_);
  const auto pause = std::min(pause_after(attempts_, dice, asked), kLongestPause);
  if (retries_told_.pass(clock_.steady()))
    observe::event(observe::LogLevel::warning, "traces_failed", {},
                   {{"reason", sink_reason(result)},
                    {"attempt", attempts_},
                    {"next_in_s", std::chrono::duration<double>(pause).count()},
                    retries_told_.left_out()});
  due_->set(pause);
}

void SpanExporter::count_taken(const net::HttpReply& reply) {
  const auto rejected = std::min<std::uint64_t>(rejected_spans(reply.body), spans_);
  exported_.fetch_add(spans_ - rejected, std::memory_order_relaxed);
  if (rejected == 0) return;
  rejected_.fetch_add(rejected, std::memory_order_relaxed);
  if (failures_told_.pass(clock_.steady()))
    observe::event(observe::LogLevel::warning, "traces_rejected", "the collector rejected some spans",
                   {{"spans", rejected}, failures_told_.left_out()});
}

void SpanExporter::drop_batch(std::string_view why, std::string_view reason) {
  dropped_.fetch_add(spans_, std::memory_order_relaxed);
  if (failures_told_.pass(clock_.steady()))
    observe::event(observe::LogLevel::error, "traces_dropped", why,
                   {{"spans", spans_}, {"reason", reason}, failures_told_.left_out()});
  end_batch();
}

/// Logs the spans for which the buffers had no room. Workers only count these spans, because they have no time to log
/// them.
void SpanExporter::tell_full() {
  const auto dropped = queue_.dropped();
  if (dropped == full_ || !full_told_.pass(clock_.steady())) return;
  observe::event(observe::LogLevel::error, "traces_dropped", "the buffers are full, because the collector is too slow",
                 {{"spans", dropped - full_}});
  full_ = dropped;
}

void SpanExporter::end_batch() noexcept {
  spans_ = 0;
  attempts_ = 0;
}

void SpanExporter::drop_all() {
  stopping_ = true;
  if (const auto call = std::exchange(call_, nullptr)) call->cancel();
  do {
    if (spans_ > 0) drop_batch("headgate is shutting down", "there was no time left");
  } while (take_batch());
  end_.reset();
  due_.reset();
}

TraceCounts SpanExporter::counts() const noexcept {
  constexpr auto order = std::memory_order_relaxed;
  return {exported_.load(order), rejected_.load(order), dropped_.load(order) + queue_.dropped(), retried_.load(order)};
}

}  // namespace headgate::notify
