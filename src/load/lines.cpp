#include "lines.hpp"

#include "answer_reader.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <array>

namespace headgate::load {
namespace {

constexpr std::size_t kBlock = 32UL * 1024;  // twice the size of the largest head
constexpr std::size_t kSpareBlocks = 64;

Ending ending_of(const error_code& why) noexcept {
  return why == boost::asio::error::timed_out ? Ending::timed_out : Ending::cut;
}

}  // namespace

/// Waits until the line has a request to send, or until no more requests come.
class Lines::Parked {
 public:
  Parked(Lines& lines, Line& line) noexcept : lines_(lines), line_(line) {}
  bool await_ready() const noexcept { return line_.given.has_value() || lines_.closing_; }
  void await_suspend(std::coroutine_handle<> handle) const {
    line_.parked = handle;
    lines_.free_.push_back(&line_);
  }
  void await_resume() const noexcept {}

 private:
  Lines& lines_;
  Line& line_;
};

/// The destructor closes the connection of a line and ends its count as running, however the line's task ends.
class Lines::Running {
 public:
  Running(Lines& lines, Line& line) noexcept : lines_(lines), line_(line) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    lines_.drop(line_);
    --lines_.running_;
  }

 private:
  Lines& lines_;
  Line& line_;
};

Lines::Lines(boost::asio::io_context& loop, const LoadOptions& options, const LoadTarget& target, std::size_t most,
             Owner& owner)
    : loop_(loop),
      options_(options),
      target_(target),
      most_(std::max<std::size_t>(most, 1)),
      owner_(owner),
      writer_(options.request, target.url),
      blocks_{{kBlock, kSpareBlocks}, {kBlock, kSpareBlocks}},
      connector_(loop, net::Timers::of(loop), target.address.address().to_string(), target.address.port()) {}

bool Lines::send(const DueRequest& request, Moment now) {
  if (closing_ || (waiting_.size() >= kMaxWaiting && free_.empty())) return false;
  ++in_flight_;
  if (!free_.empty()) {
    auto& line = *free_.back();
    free_.pop_back();
    line.given = Queued{.request = request, .at = now};
    std::exchange(line.parked, nullptr).resume();
    return true;
  }
  waiting_.push_back({.request = request, .at = now});
  if (lines_.size() < most_) {
    lines_.push_back(std::make_unique<Line>());
    ++running_;
    spawn(run(*lines_.back()), "load");
  }
  return true;
}

std::size_t Lines::forget_waiting() {
  const auto count = waiting_.size();
  in_flight_ -= count;
  waiting_.clear();
  return count;
}

void Lines::close() {
  closing_ = true;
  forget_waiting();
  connector_.stop();
  for (const auto& line : lines_)
    if (line->stream) line->stream->interrupt();
  for (auto* const line : std::exchange(free_, {})) std::exchange(line->parked, nullptr).resume();
}

Task<void> Lines::run(Line& line) {
  const Running counted(*this, line);
  while (!closing_) {
    while (!line.given && !waiting_.empty()) {
      if (owner_.wants(waiting_.front().request))
        line.given = waiting_.front();
      else
        --in_flight_;
      waiting_.pop_front();
    }
    if (!line.given) {
      co_await Parked(*this, line);
      continue;
    }
    const auto queued = *std::exchange(line.given, std::nullopt);
    Moment sent;
    auto seen = co_await ask(line, queued.request, sent);
    if (closing_ && seen.ending != Ending::answered) seen.ending = Ending::unfinished;
    --in_flight_;
    owner_.ended(queued.request, std::move(seen), queued.at, sent);
  }
}

Task<bool> Lines::connect(Line& line, Moment until, SeenAnswer& seen) {
  drop(line);
  net::ConnectOptions how;
  how.whole = std::max(std::chrono::duration_cast<Duration>(until - std::chrono::steady_clock::now()), Duration(1));
  how.tls = target_.tls;
  auto connected = co_await connector_.connect(std::move(how));
  if (connected.has_error()) {
    const bool late = connected.error().code == boost::asio::error::timed_out;
    seen.ending = late ? Ending::timed_out : Ending::not_connected;
    co_return false;
  }
  ++opened_;
  line.stream = std::move(connected->stream);
  line.buffer.emplace(line.stream, blocks_);
  co_return true;
}

Task<SeenAnswer> Lines::ask(Line& line, const DueRequest& request, Moment& sent) {
  sent = std::chrono::steady_clock::now();
  const auto until = sent + options_.timeout;
  const auto text = writer_.text(request.caller, owner_.ticket(request.caller));
  SeenAnswer out;
  while (true) {
    const bool used = line.stream && line.stream->silent();
    if (!used && !co_await connect(line, until, out)) co_return out;
    const std::array<std::string_view, 1> pieces{text};
    const auto written = co_await line.stream->write_all(pieces, options_.timeout);
    ReadAnswer answer;
    if (written.has_error())
      answer.failed = written.error();
    else
      answer = co_await read_answer(*line.buffer, writer_.head_only(), until);
    if (!answer.failed && answer.keep_alive) {
      line.buffer->release();  // an idle connection keeps no buffer, because there may be thousands of them
      co_return std::move(answer.seen);
    }
    drop(line);
    if (!answer.failed) co_return std::move(answer.seen);
    // A server may close an idle connection at the moment when the next request is sent. Then the request is sent
    // again, if it may be repeated.
    const bool closed = !answer.began && answer.failed != boost::asio::error::timed_out;
    if (used && closed && writer_.repeatable() && !closing_) continue;
    out.ending = ending_of(answer.failed);
    co_return out;
  }
}

void Lines::drop(Line& line) {
  line.buffer.reset();
  if (line.stream) std::exchange(line.stream, nullptr)->close();
}

}  // namespace headgate::load
