#include "headgate/gateway/handler.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/observe/event.hpp"

#include <string>

namespace headgate::gateway {

namespace {

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& bug) {
    return bug.what();
  } catch (...) {
    return "not an exception of the standard library's";
  }
}

}  // namespace

Task<void> answer_bug(Handler& handler, Exchange& x, std::exception_ptr thrown) {
  observe::event(observe::LogLevel::error, "bug", "an exception that nobody expected",
                 {{"task", "exchange"}, {"what", text_of(thrown)}});
  x.attempt = nullptr;  // whoever set these is gone
  x.delay = nullptr;
  const Problem problem{500, EndedBy::bug, "Something went wrong inside this gateway.", {}, 0, {}};
  co_await send_problem(x, problem, RejectionHeaders::none);
  handler.refused(x);
}

}  // namespace headgate::gateway
