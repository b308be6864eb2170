#include "headgate/observe/access_log.hpp"

#include "access_line.hpp"
#include "left_out.hpp"
#include "output.hpp"

#include "headgate/observe/trace_context.hpp"

#include <utility>

namespace headgate::observe {
namespace {

/// Returns whether the line reports a refusal that is due to the caller's key.
bool is_refusal(const AccessRecord& record) noexcept {
  return record.status >= 400 && !record.key.empty() && (record.decision == "rejected" || record.decision == "banned");
}

}  // namespace

AccessLog::AccessLog(const LogOptions& options, std::shared_ptr<Output> output, Lane& lane,
                     std::shared_ptr<LeftOut> left_out)
    : options_(options),
      output_(std::move(output)),
      lane_(&lane),
      left_out_(std::move(left_out)),
      keeps_some_(options.keep_ok < 1'000'000),
      marked_(output_->takes_marks()),
      coloured_(output_->is_terminal() ? Coloured::yes : Coloured::no),
      dice_(keyed_hash("keep_ok", reinterpret_cast<std::uintptr_t>(&lane)).low) {
  if (output_->takes_fields()) options_.format = LogFormat::json;
  most_ = Output::kMarks + most_of(options_) + 1;
}

bool AccessLog::passes_over() noexcept {
  TraceIds dice(dice_);
  const bool kept = in_share(dice.next(), share_below(options_.keep_ok));
  dice_ = dice.state();
  if (kept) return false;
  ++passed_over_;
  left_out_->count_ok();
  return true;
}

void AccessLog::write(const AccessRecord& record) {
  const auto at = now();
  std::uint64_t dropped = 0;
  if (keeps_some_ && record.status != 0 && record.status < 400) {
    dropped = std::exchange(passed_over_, 0);
  } else if (options_.refusals_every > Duration(0) && is_refusal(record)) {
    const auto key = keyed_hash(record.key, keyed_hash(record.limit, 0).low).low;
    const auto before = left_out_->refusal(key, at, options_.refusals_every);
    if (!before) return;
    dropped = *before;
  }
  append(record, at, dropped);
}

void AccessLog::append(const AccessRecord& record, Instant at, std::uint64_t dropped) {
  const auto written = room_.write(most_ + most_of(record.fields), [&](TextCursor& out) {
    if (marked_) {
      out.character('6');  // severity "informational"
      out.character(Output::kRequest);
    }
    write_line(out, {record, options_, at, dropped}, coloured_);
    out.character('\n');
  });
  if (lane_->push(written) == Lane::Pushed::block_full) output_->nudge();
}

}  // namespace headgate::observe
