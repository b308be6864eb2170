#pragma once
// The functions of the steps. table.cpp says which routes have them, and in which order.

#include "gateway/limits/round.hpp"
#include "gateway/path/path.hpp"

namespace headgate::observe {
struct AccessRecord;
}

namespace headgate::gateway {

struct Explanation;
struct StepCounts;

MaybeProblem find_route(Path& path, Exchange& x);
/// Translates a gRPC-Web call to a gRPC call.
MaybeProblem translate_grpc_web(Path& path, Exchange& x);
/// Compresses the answer from here on, if that is possible.
MaybeProblem compress_answer(Path& path, Exchange& x);
/// Frees the memory of the compression.
void end_compression(Path& path, Exchange& x);
extern const StepCounts kCompressionCounts;
void record_compressed(const Exchange& x, observe::AccessRecord& record);
/// Explains how the answer may be compressed.
void explain_compression(Exchange& x, Explanation& explanation);
/// Refuses a body whose announced size is too large.
MaybeProblem check_body(Path& path, Exchange& x);
MaybeProblem identify(Path& path, Exchange& x);
/// Refuses addresses that the route or the configuration as a whole does not allow.
MaybeProblem check_address(Path& path, Exchange& x);
MaybeProblem redirect(Path& path, Exchange& x);
/// Charges a preflight to a limit of its own, by address.
MaybeProblem preflight(Path& path, Exchange& x);
/// Charges a request for the remaining permits to a limit of its own, by address.
MaybeProblem charge_usage(Path& path, Exchange& x);
/// Charges a request to a built-in limit, by address. `detail` is the text for a caller with no permits left.
MaybeProblem charge_address(Path& path, Exchange& x, const limit::Rule& rule, std::string_view name,
                            std::string_view detail);
/// Changes the route of `x` to that of one upstream. Earlier checks stay valid, because both routes have the same
/// limits up to here. If Admission::peek is set, the first share with a weight is used in place of a random one.
MaybeProblem split(Path& path, Exchange& x);
/// Counts the offences of a request before it is answered with `problem`. If a suspension begins, `problem` states how
/// long it lasts.
Task<void> suspend_first(Path& path, Exchange& x, Problem& problem);
/// Counts the offences that were not counted before the answer.
void note_offences(Path& path, Exchange& x);
MaybeProblem check_bans(Path& path, Exchange& x, bool after_auth);
extern const StepCounts kSuspensionCounts;
/// Returns the answer to a caller that is suspended for this time. The problem is silent if the policy closes
/// connections and no other caller shares this connection. `usual` is the sentence of the answer if the policy has
/// none.
Problem refusal_of_suspended(const Exchange& x, const RouteBan& ban, Duration left, std::string_view usual);
MaybeProblem check_suspended(Path& path, Exchange& x, bool after_auth);
/// Adds the cost of the exchange to the bill.
void leave_bill(Path& path, Exchange& x);
void leave_in_flight(Path& path, Exchange& x);
/// Counts the wait for a permit of a limit. The wait for a place in the upstream's capacity is counted by
/// kCapacityCounts.
extern const StepCounts kPermitWaitCounts;
/// Records how long the request waited for permits in flight and for a place in the upstream's capacity.
void record_waits_in_turn(const Exchange& x, observe::AccessRecord& record);
/// Counts the outcome of the appointment that the request showed or was given.
extern const StepCounts kAppointmentCounts;
Task<MaybeProblem> wait_in_room(Path& path, Exchange& x);
extern const StepCounts kRoomCounts;
void explain_room(Exchange& x, Explanation& explanation);
/// Checks the credentials that the route reads, and the route's demands on them.
MaybeProblem authenticate(Path& path, Exchange& x);
/// Returns whether a name and a password have to be checked. They are not if a simulation assumes the caller.
bool password_waits(Path& path, Exchange& x);
/// Checks whether the name and password belong to a user of the route.
Task<MaybeProblem> check_password(Path& path, Exchange& x);
/// Decides only by remembered results. If there is none, a candidate and an explanation assume that the password is
/// right.
MaybeProblem peek_at_password(Path& path, Exchange& x);
/// Explains whether the password was assumed to be right.
void explain_password(Exchange& x, Explanation& explanation);
/// Calls the auth service of the route, and waits for its answer.
Task<MaybeProblem> ask_auth(Path& path, Exchange& x);
/// Decides by a remembered answer; makes no call.
MaybeProblem peek_at_auth(Path& path, Exchange& x);
/// Explains that the auth service decides, if its answer is not known.
void explain_auth(Exchange& x, Explanation& explanation);

/// Checks the limits of `stage` that are counted in memory, without any wait.
MaybeProblem admit(Path& path, Exchange& x, Stage stage);
extern const StepCounts kLimitCounts;
/// Returns whether a limit of the stage may let the request wait for a permit.
bool may_wait_at(const Exchange& x, Stage stage) noexcept;
/// Does the same as admit() for those limits of `part` that may let the request wait or that are counted in Redis.
Task<MaybeProblem> admit_with_waits(Path& path, Exchange& x, Stage stage, RoundPart part);

MaybeProblem check_circuit(Path& path, Exchange& x);
MaybeProblem pass_circuit(Path& path, Exchange& x);
void leave_circuit(Path& path, Exchange& x);

MaybeProblem shed(Path& path, Exchange& x);
/// Finds the priority of a request that takes no permits. For other requests, shed() does this.
MaybeProblem rank(Path& path, Exchange& x);
/// Counts the layer of load shedding that refused the request, in any step, or the time that the request waited for its
/// places.
extern const StepCounts kSheddingCounts;
void record_shed(const Exchange& x, observe::AccessRecord& record);

bool waits_for_permit(Path& path, Exchange& x);
Task<MaybeProblem> delay(Path& path, Exchange& x);
void record_delay(const Exchange& x, observe::AccessRecord& record);
Task<MaybeProblem> hold_body(Path& path, Exchange& x);
/// Reads at least `most` bytes of the body into x.held, or all of it if it is shorter. Stops when no memory is left,
/// and when the client leaves. `values` gets the bytes that are read now; null if nothing reads them.
Task<MaybeProblem> read_ahead(Path& path, Exchange& x, std::uint64_t most, BodyValues* values);
/// Prepares the reading of the answer's body for the limits of the route.
MaybeProblem prepare_bodies(Path& path, Exchange& x);
/// Does the same, and reads the request's body. Refuses the request if no limit can read it and the route wants that.
Task<MaybeProblem> read_body(Path& path, Exchange& x);
/// Does the same as read_body() for a candidate of the configuration, with the body in x.held, which the live policy
/// has read. A body that it has not read to its end stays unknown: the candidate then refuses the request as too large
/// if its decision needs a value of the body. Reads nothing for a request that takes no permits.
MaybeProblem read_lent_body(Path& path, Exchange& x);
/// Explains that the body, which limits read, is not known to a question.
void explain_unread_body(Exchange& x, Explanation& explanation);
/// Returns whether a limit of the route reads the request's body.
bool reads_request(Path& path, Exchange& x) noexcept;
/// Returns whether a place in the capacity of the upstream needs a call or a wait. If not, takes the place.
bool waits_for_capacity(Path& path, Exchange& x);
Task<MaybeProblem> wait_for_capacity(Path& path, Exchange& x);
extern const StepCounts kCapacityCounts;
void record_capacity(const Exchange& x, observe::AccessRecord& record);
bool waits_for_place(Path& path, Exchange& x);
Task<MaybeProblem> wait_for_place(Path& path, Exchange& x);
MaybeProblem take_place(Path& path, Exchange& x);
void leave_place(Path& path, Exchange& x);
/// Returns whether a place at a server needs a wait. If not, takes the place.
bool waits_for_server(Path& path, Exchange& x);
Task<MaybeProblem> wait_for_server(Path& path, Exchange& x);
void leave_server(Path& path, Exchange& x);
extern const StepCounts kServerQueueCounts;

MaybeProblem note_quotas(Path& path, Exchange& x);
void leave_quotas(Path& path, Exchange& x);
/// Records that the request has passed all checks and will be answered.
MaybeProblem note_served(Path& path, Exchange& x);
void settle_costs(Path& path, Exchange& x);
/// The counters of reservations, which settle costs later.
extern const StepCounts kReservationCounts;

/// Answers the request: by its route, by the gateway as the last hop, or by a server.
Task<MaybeProblem> serve(Path& path, Exchange& x);
extern const StepCounts kForwardingCounts;
Task<MaybeProblem> tell_usage(Path& path, Exchange& x, RejectionHeaders style);

/// Stores a request that was malformed, too large or too slow, so that operators can read it.
void keep_refused(Path& path, const Exchange& x);
void keep_refused_head(Path& path, const Exchange& x, std::string_view bytes, std::optional<std::size_t> fault);
void keep_failed_handshake(Path& path, const boost::asio::ip::address& peer, std::string_view reason);
/// Ends every exchange: leaves its steps, counts the exchange and writes it to the log.
void finish(Path& path, Exchange& x);

}  // namespace headgate::gateway
