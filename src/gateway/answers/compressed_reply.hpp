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

/// The error of an answer that could not be encoded to its end: there was no memory. The client is there.
inline error_code compression_failed() noexcept {
  return boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
}

/// The counters of answers that are compressed.
struct CompressionCounters {
  static constexpr Step kStep = Step::compress;
  explicit CompressionCounters(const Counting& counting);

  struct OfCoding {
    observe::Counter* answers = nullptr;
    observe::Counter* bytes_before = nullptr;
    observe::Counter* bytes_after = nullptr;
  };
  std::array<OfCoding, kCountOf<compress::Coding>> codings{};  ///< null where no route compresses
  observe::Counter* no_memory = nullptr;  ///< answers that were sent as they are because there was no memory for that

  /// Counts an answer, at its end.
  void count(const Exchange& x) const;
};

/// Stands before the reply of an exchange whose route compresses, and lets pass what is not compressed. A piece of a
/// body is encoded when it is written, in steps of kStep bytes of output, each of which the client takes before the
/// next one is made. After so many bytes of its body other exchanges have their turn: memory and work at once are
/// bounded. An answer whose length is not known is one that may come piece by piece: each piece reaches the client
/// whole before the next one is waited for. Worker thread only; lives as long as its exchange.
class CompressedReply final : public http::ReplyWriter {
 public:
  /// Takes the place of the reply of `x`. `places` counts its encoder.
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

  /// From now on all of this answer passes as it is.
  void pass_on() noexcept { passes_ = true; }
  /// Frees what it needs for encoding; what has not been encoded by now is not sent.
  void end() noexcept;
  /// How the body is compressed; nothing: it is not, or there is none.
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
  std::unique_ptr<compress::Encoder> encoder_;  ///< null: what comes is passed on as it is
  std::unique_ptr<char[]> out_;
  std::string_view made_;  ///< in `out_`
  Progress progress_ = Progress::done;
  bool passes_ = false;
  bool each_piece_ = false;
  std::optional<compress::Coding> coding_;
  http::ReplyStart start_;
  std::uint64_t before_ = 0;
  std::uint64_t after_ = 0;
  std::size_t this_turn_ = 0;  ///< bytes taken since the loop had its turn
};

}  // namespace headgate::gateway
