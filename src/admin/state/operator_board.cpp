#include "headgate/admin/operator_board.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace headgate::admin {

OperatorBoard::State OperatorBoard::now() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void OperatorBoard::use(std::shared_ptr<const services::ActiveConfig> active) {
  const std::lock_guard lock(mutex_);
  if (!state_.active || state_.active->config != active->config) state_.since = headgate::now();
  state_.active.swap(active);
}

void OperatorBoard::use_same(std::shared_ptr<const services::ActiveConfig> active) {
  const std::lock_guard lock(mutex_);
  state_.active.swap(active);
}

void OperatorBoard::reloaded(const ReloadResult& result) {
  LastReload last{
      .at = headgate::now(), .applied = result.applied, .why_not = {}, .waiting_for_restart = result.waiting};
  const auto wrong = [](const auto& mistake) { return mistake.severity == config::Severity::error; };
  const auto first = std::find_if(result.mistakes.begin(), result.mistakes.end(), wrong);
  if (!result.applied && first != result.mistakes.end()) {
    last.why_not = first->file.empty() ? result.file : first->file;
    if (first->line > 0) last.why_not += ':' + std::to_string(first->line) + ':' + std::to_string(first->column);
    last.why_not += (last.why_not.empty() ? "" : ": ") + first->message;
  }
  const std::lock_guard lock(mutex_);
  state_.reload = std::move(last);
}

void OperatorBoard::use_workers(std::size_t workers, const session::Totals& totals) {
  const std::lock_guard lock(mutex_);
  state_.workers = workers;
  state_.totals = &totals;
}

void OperatorBoard::begin_drain() {
  const std::lock_guard lock(mutex_);
  state_.draining = true;
}

bool OperatorBoard::on_main_thread(std::function<void()> what) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  boost::asio::post(main_loop_, std::move(what));
  return true;
}

void OperatorBoard::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

}  // namespace headgate::admin
