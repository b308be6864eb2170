#include "answerer.hpp"

#include "caller.hpp"

#include <nghttp2/nghttp2.h>

#include <utility>
#include <vector>

namespace headgate::bench {
namespace {

constexpr std::uint32_t kTakenAtOnce = 16U * 1024;
constexpr std::uint32_t kStreams = 100;

}  // namespace

H2Answerer::H2Answerer() { append_settings(out_, {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kStreams}}); }

bool H2Answerer::take(std::string_view bytes, std::uint64_t* held) {
  in_.add(bytes);
  if (!greeted_) greeted_ = in_.skip(kPreface.size());
  for (Frame frame; greeted_ && in_.next(frame);) {
    asked(frame, held);
    if (frame.type == FrameType::data) unacknowledged_ += static_cast<std::uint32_t>(frame.payload.size());
    if (frame.type == FrameType::settings)
      has_table_ = setting_in(frame.payload, NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, has_table_ ? kUsualTable : 0) > 0;
    const bool asks = frame.type == FrameType::settings || frame.type == FrameType::ping;
    if (asks && (frame.flags & kAck) == 0)
      append_frame(out_, {frame.type, kAck, 0, frame.type == FrameType::ping ? frame.payload : std::string_view()});
    if (frame.type == FrameType::goaway && number_in(frame.payload, 4) != NGHTTP2_NO_ERROR) return false;
  }
  if (unacknowledged_ > kTakenAtOnce) append_window_update(out_, std::exchange(unacknowledged_, 0));
  return true;
}

void H2Answerer::asked(const Frame& frame, std::uint64_t* held) {
  const bool has_end = frame.type == FrameType::headers || frame.type == FrameType::data;
  if (!has_end || (frame.flags & kEndStream) == 0) return;
  if (held == nullptr) return answer(frame.stream);
  ++*held;
}

void H2Answerer::answer(std::int32_t id) {
  static const std::vector<FieldList> fields{{{":status", "200"}, {"content-type", "application/grpc"}},
                                             {{"grpc-status", "0"}}};
  static const auto with_table = blocks_of(fields);
  static const auto without_table = blocks_of(fields, 0);
  const auto& blocks = has_table_ ? with_table : without_table;
  static const auto message = std::string("\0\0\0\0\x80", 5) + std::string(kGrpcMessage - 5, 'y');
  const auto block = [this](const FieldBlocks& of) -> std::string_view { return answered_ ? of.later : of.first; };
  append_frame(out_, {FrameType::headers, kEndHeaders, id, block(blocks[0])});
  append_frame(out_, {FrameType::data, 0, id, message});
  append_frame(out_, {FrameType::headers, kEndHeaders | kEndStream, id, block(blocks[1])});
  answered_ = true;
}

}  // namespace headgate::bench
