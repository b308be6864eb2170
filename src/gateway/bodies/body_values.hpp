#pragma once
// The values that limits read from the bodies of one exchange.

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/graphql/size.hpp"
#include "headgate/http/body_look.hpp"
#include "headgate/scan/scan.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

/// Whether a body could be read.
enum class BodyState : std::uint8_t {
  absent,      ///< there is no body, or it was not read yet
  read,        ///< the values are known as far as the body has them
  too_long,    ///< longer than the route reads
  no_memory,   ///< not read completely, because bodies of all requests have reached bounds.buffered
  other_type,  ///< its Content-Type is none that can be read, or it has two
  encoded,     ///< compressed
  malformed    ///< not valid, or two readers could see different values in it
};

/// The values. Worker thread only; lives as long as its exchange.
class BodyValues final : public http::BodyLook {
 public:
  explicit BodyValues(std::shared_ptr<const BodyPlan> plan) : plan_(std::move(plan)) {}

  const BodyPlan& plan() const noexcept { return *plan_; }

  /// Decides from the head of a request with a body whether the body can be read, and begins to read it.
  BodyState begin_request(const Exchange& x);
  /// Reads the next bytes of the request's body.
  void read_request(std::string_view bytes) noexcept;
  /// Notes that the body is complete, or that its rest is not read because it is too long.
  void end_request(BodyState state) noexcept;
  /// Reads the request's body, which is complete.
  void read_whole_request(const Exchange& x, std::string_view body);
  BodyState request_state() const noexcept { return request_state_; }
  /// Returns whether the body has no single value at a pointer: a member occurs twice, so that readers could see
  /// different values; a value is too long to be known; the body is a list of calls where one call is counted; or its
  /// GraphQL request cannot be measured.
  bool is_ambiguous() const noexcept;
  /// Measures the GraphQL request whose body was read to its end; does nothing if no cost needs its size.
  void measure(const Exchange& x, std::string_view body);
  /// The size of the GraphQL request; nothing if it has none that all servers agree on.
  std::optional<graphql::Size> graphql() const noexcept { return graphql_; }
  /// The request's values. Only meaningful in the state `read`.
  const scan::Scan& request() const noexcept { return request_; }

  /// Returns whether the call wants a stream and does not say whether it reports its usage, so that the gateway may ask
  /// for it.
  bool may_ask_usage() const noexcept;
  /// Notes that the gateway asked for the usage, with this number of bytes at the beginning of the body.
  void usage_asked(std::size_t bytes) noexcept {
    asked_usage_ = true;
    added_ = bytes;
  }
  /// Number of bytes that stand in front of the values since the body was read.
  std::size_t added() const noexcept { return added_; }
  /// Returns whether the request's body is one document of JSON, so that Found::at is a place in it.
  bool is_json() const noexcept { return request_form_ == scan::Form::json; }

  /// Decides from the head of the server's answer, which is in the exchange, whether its body is read.
  void begin_answer(const Exchange& x);
  /// Returns whether the head of an answer has arrived.
  bool answer_begun() const noexcept { return answer_begun_; }
  BodyState answer_state() const noexcept { return answer_state_; }
  /// The values of the answer as far as it has passed; the last event of a stream may be incomplete.
  const scan::Scan& answer() const noexcept { return answer_; }
  /// Notes that nothing more of the answer is read.
  void end_answer() noexcept;
  /// Notes that the answer was read to its end, although it could not be sent to its end.
  void drained() noexcept { drained_ = true; }
  bool was_drained() const noexcept { return drained_; }
  /// Returns the form of a stream that can be ended before the model ends it; nothing if the answer is none.
  std::optional<scan::Form> stream_form() const noexcept { return stream_form_; }
  /// Returns the events that end the stream; see usage::last_events().
  std::string last_events() const;
  /// Returns whether the answer has a chunk with usage that its client did not ask for.
  bool drops_usage_chunk() const noexcept { return drops_chunk_; }
  /// Number of bytes of the answer's body that have passed.
  std::uint64_t answer_bytes() const noexcept { return answer_bytes_; }

 private:
  void look(std::string_view bytes) noexcept override;

  std::shared_ptr<const BodyPlan> plan_;
  scan::Scan request_;
  scan::Scan answer_;
  BodyState request_state_ = BodyState::absent;
  BodyState answer_state_ = BodyState::absent;
  scan::Form request_form_ = scan::Form::json;
  std::size_t added_ = 0;
  bool request_begun_ = false;
  bool json_as_form_ = false;  // whether a body with the type of a form looks like JSON
  bool asked_usage_ = false;
  bool drops_chunk_ = false;
  bool answer_begun_ = false;
  bool answer_ended_ = false;
  bool drained_ = false;
  std::optional<scan::Form> stream_form_;
  std::optional<graphql::Size> graphql_;
  std::uint64_t answer_bytes_ = 0;
};

/// Returns the value in the request's body at the pointer with this index, for a cost: null if the body was not read,
/// or if the value is missing or ambiguous.
const scan::Found* request_value(const Exchange& x, std::size_t index) noexcept;

/// Returns the value with this index in the request's body as a part of a key: "" if it is missing or ambiguous, or if
/// it is an object, a list or a long text. The model is that of the route, if the route changes it. A view into x.text
/// or the route.
std::string_view key_in_body(Exchange& x, std::size_t index);

/// Returns the value as a cost of at most `most`: a number, or a text of digits, as forms have it. Nothing for a number
/// below 0 and for other values.
std::optional<std::int64_t> cost_in_body(const scan::Found& found, std::int64_t most) noexcept;

/// The cost of a picture or a file in a request, in tokens: what the providers bill for a large picture (OpenAI: 85 +
/// 170 for each tile of 512 pixels, at most 1,445 for 4 by 2 tiles; Anthropic: width times height / 750, at most
/// 1,600).
inline constexpr std::int64_t kBlockCost = 1'600;

}  // namespace headgate::gateway
