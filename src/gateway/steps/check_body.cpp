// Refuses a body whose announced size exceeds the route's bound.

#include "gateway/exchange/body_problem.hpp"
#include "steps.hpp"

#include <boost/system/errc.hpp>

namespace headgate::gateway {

MaybeProblem check_body(Path& /*path*/, Exchange& x) {
  if (x.body->take_at_most(x.route->max_body)) return {};
  return problem_of_body(boost::system::errc::make_error_code(boost::system::errc::message_size));
}

}  // namespace headgate::gateway
