// Refuses a body that is announced to be larger than the route allows.

#include "gateway/exchange/body_problem.hpp"
#include "steps.hpp"

#include <boost/system/errc.hpp>

namespace headgate::gateway {

MaybeProblem check_body(Path& /*path*/, Exchange& x) {
  if (x.body->take_at_most(x.route->max_body)) return {};
  return problem_of_body(boost::system::errc::make_error_code(boost::system::errc::message_size));
}

}  // namespace headgate::gateway
