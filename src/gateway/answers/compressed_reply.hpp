#pragma once
// Compresses an answer on its way to the client.

#include "encoder_places.hpp"

#include "headgate/compress/encoder.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/http/exchange_io.hpp"

#include <boost/system/errc.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Returns the error of an answer whose encoding failed for lack of memory. The client is still connected.
inline error_code compression_failed() noexcept {
  return boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
}

/// Counters of compressed answers.
struct CompressionCounters {
  static constexpr Step kStep = Step::compress;
  explicit CompressionCounters(const Counting& counting);

  struct OfCoding {
    observe::Counter* answers = nullptr;
    observe::Counter* bytes_before = nullptr;
    observe::Counter* bytes_after = nullptr;
  };
  std::array<OfCoding, kCountOf<compress::Coding>> codings{};  ///< null if no route compresses
  observe::Counter* no_memory = nullptr;  ///< answers that were sent uncompressed because there was not enough memory

  /// Counts an answer when it ends.
  void count(const Exchange& x) const;
};

/// A reply that compresses bodies for routes with `compression` and passes all other answers through unchanged. It
/// encodes each piece of a body when the piece is written, in steps of at most kStep bytes of output. The client takes
/// the output of one step before the next step runs. After kTurn bytes of a body the loop serves other exchanges, so
/// that memory and work per turn are bounded. If the length of an answer is not known, each piece is flushed to the
/// client before the next piece is awaited. Worker thread only; lives as long as its exchange.
class CompressedReply final : public http::ReplyWriter {
 public:
  /// Replaces the reply of `x`. `places` counts the encoder.
  CompressedReply(Exchange& x, std::shared_ptr<EncoderPlaces> places);
  ~CompressedReply() override { end(); }
  CompressedReply(const CompressedReply&) = delete;
  CompressedReply& operator=(const CompressedReply&) = delete;

  Task<Result<void>> interim(const http::ReplyStart& start) override { return to_.interim(start); }
  Task<Result<void>> send(const http::ReplyStart& start, std::string_view first, http::EndStream last) override;
  Task<Result<void>> write(std::string_view bytes, http::EndStream last) override;
  Task<Result<void>> finish(const http::Fields& trailers) override;
  void tunnel(Duration timeout) override { to_.tunnel(timeout); }
  bool started() const noexcept override { return to_.started(); }
  std::uint64_t bytes_sent() const noexcept override { return to_.bytes_sent(); }

  /// Turns compression off for this answer.
  void pass_on() noexcept { passes_ = true; }
  /// Frees the encoder and its buffer. Bytes in the encoder that were not sent yet are lost.
  void end() noexcept;
  /// Returns the coding of the body; empty if the body is not compressed or there is none.
  std::optional<compress::Coding> coding() const noexcept { return coding_; }
  std::uint64_t bytes_before() const noexcept { return before_; }
  std::uint64_t bytes_after() const noexcept { return after_; }

 private:
  using Progress = compress::Encoder::Progress;
  using Upto = compress::Upto;

  bool compresses(const http::ReplyStart& start, std::string_view first, http::EndStream last);
  bool begins(std::optional<std::uint64_t> size);
  std::string_view fill(std::string_view& bytes, Upto upto) noexcept;
  Upto upto(http::EndStream last) const noexcept;
  Task<Result<void>> send_first(std::string_view rest, http::EndStream last);
  Task<Result<void>> write_on(std::string_view bytes, Upto upto, http::EndStream last);
  Task<Result<void>> finish_after(const http::Fields& trailers);

  Exchange& x_;
  http::ReplyWriter& to_;
  std::shared_ptr<EncoderPlaces> places_;
  EncoderPlaces::Place place_;
  std::unique_ptr<compress::Encoder> encoder_;  ///< null if the body passes through unchanged
  std::unique_ptr<char[]> out_;
  std::string_view made_;  ///< encoded bytes in `out_` that have not been sent
  Progress progress_ = Progress::done;
  bool passes_ = false;
  bool each_piece_ = false;
  std::optional<compress::Coding> coding_;
  http::ReplyStart start_;
  std::uint64_t before_ = 0;
  std::uint64_t after_ = 0;
  std::size_t this_turn_ = 0;  ///< bytes taken since the loop last served other exchanges
};

}  // namespace headgate::gateway
