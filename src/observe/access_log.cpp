#include "headgate/observe/access_log.hpp"

#include "access_line.hpp"
#include "output.hpp"

namespace headgate::observe {

AccessLog::AccessLog(const LogOptions& options, std::shared_ptr<Output> output, Lane& lane)
    : options_(options), output_(std::move(output)), lane_(&lane) {}

void AccessLog::write(const AccessRecord& record) {
  line_.clear();
  if (options_.format == LogFormat::json)
    append_json_line(record, options_, now(), line_);
  else
    append_text_line(record, options_, now(), line_);
  line_ += '\n';
  if (lane_->push(line_) == Lane::Pushed::block_full) output_->nudge();
}

}  // namespace headgate::observe
