#pragma once
// What each step does. Who takes which of them, and in which order, is in table.cpp.

#include "gateway/limits/round.hpp"
#include "gateway/path/path.hpp"

namespace headgate::observe {
struct AccessRecord;
}

namespace headgate::gateway {

struct Explanation;
struct StepCounts;

MaybeProblem find_route(Path& path, Exchange& x);
/// A call of gRPC-Web goes on as one of gRPC.
MaybeProblem translate_grpc_web(Path& path, Exchange& x);
/// What answers it from here on is compressed where that is possible.
MaybeProblem compress_answer(Path& path, Exchange& x);
/// Frees the memory for it.
void end_compression(Path& path, Exchange& x);
extern const StepCounts kCompressionCounts;
void record_compressed(const Exchange& x, observe::AccessRecord& record);
/// How its answer may be compressed.
void explain_compression(Exchange& x, Explanation& explanation);
/// Refuses a body that is announced to be too large.
MaybeProblem check_body(Path& path, Exchange& x);
MaybeProblem identify(Path& path, Exchange& x);
/// Refuses addresses that the route, or all routes, do not let in.
MaybeProblem check_address(Path& path, Exchange& x);
MaybeProblem redirect(Path& path, Exchange& x);
/// A preflight takes from a limit of its own, by address.
MaybeProblem preflight(Path& path, Exchange& x);
/// So does the question what is left.
MaybeProblem charge_usage(Path& path, Exchange& x);
/// Takes from a limit of the gateway's own, by address. `detail` tells a caller that has nothing left.
MaybeProblem charge_address(Path& path, Exchange& x, const limit::Rule& rule, std::string_view name,
                            std::string_view detail);
/// Changes to the route of one upstream. What was checked before stays: both have the same limits up to here. Nothing
/// is drawn for a question (Admission::peek): what is by chance is then the first share that has a weight.
MaybeProblem split(Path& path, Exchange& x);
/// Notes the offences of a request before it is answered with `problem`, and tells the suspension that begins.
Task<void> suspend_first(Path& path, Exchange& x, Problem& problem);
/// Those that were not noted before the answer.
void note_offences(Path& path, Exchange& x);
MaybeProblem check_bans(Path& path, Exchange& x, bool after_auth);
extern const StepCounts kSuspensionCounts;
/// What a caller gets that is suspended for so long: nothing at all, if the policy closes connections and this one is
/// not shared with other callers. `usual`: the sentence that it is told unless the policy has another one.
Problem refusal_of_suspended(const Exchange& x, const RouteBan& ban, Duration left, std::string_view usual);
MaybeProblem check_suspended(Path& path, Exchange& x, bool after_auth);
/// Adds what the exchange has cost, at its end. Nothing if what limits took for it was given back: then it was rejected
/// or not served.
void bill(Path& path, Exchange& x);
void leave_in_flight(Path& path, Exchange& x);
/// The wait for a permit of a limit. That for a place at the upstream is counted with the place.
extern const StepCounts kPermitWaitCounts;
/// The waits for both.
void record_waits_in_turn(const Exchange& x, observe::AccessRecord& record);
/// What became of the appointments that the request showed or was given.
extern const StepCounts kAppointmentCounts;
Task<MaybeProblem> wait_in_room(Path& path, Exchange& x);
extern const StepCounts kRoomCounts;
void explain_room(Exchange& x, Explanation& explanation);
/// Checks the credentials that the route reads, and what it demands of them.
MaybeProblem authenticate(Path& path, Exchange& x);
/// Whether a name and a password are asked for; else the caller is assumed to be somebody.
bool password_waits(Path& path, Exchange& x);
/// Whether they are those of a user of the route.
Task<MaybeProblem> check_password(Path& path, Exchange& x);
/// The same as far as it is remembered; a password that is not is taken for right.
MaybeProblem peek_at_password(Path& path, Exchange& x);
/// Whether its password was taken for right.
void explain_password(Exchange& x, Explanation& explanation);
/// Asks the auth service of the route, and waits for what it says.
Task<MaybeProblem> ask_auth(Path& path, Exchange& x);
/// What it is known to say; nobody is asked.
MaybeProblem peek_at_auth(Path& path, Exchange& x);
/// Who decides, if that is not known.
void explain_auth(Exchange& x, Explanation& explanation);

/// Checks the limits of `stage`, which are counted in memory, and lets nobody wait.
MaybeProblem admit(Path& path, Exchange& x, Stage stage);
extern const StepCounts kLimitCounts;
/// Whether a limit of the stage may let the request wait for a permit.
bool may_wait_at(const Exchange& x, Stage stage) noexcept;
/// The same as admit() for limits that may let it wait, and for a part of those that are counted in Redis.
Task<MaybeProblem> admit_with_waits(Path& path, Exchange& x, Stage stage, RoundPart part);

MaybeProblem check_circuit(Path& path, Exchange& x);
MaybeProblem pass_circuit(Path& path, Exchange& x);
void leave_circuit(Path& path, Exchange& x);

MaybeProblem shed(Path& path, Exchange& x);
/// What shed() finds of a request that is only looked at: its priority, by which some tiers are chosen.
MaybeProblem rank(Path& path, Exchange& x);
/// Which layer of shedding refused the request, whichever step that was, or how long it waited for its places.
extern const StepCounts kSheddingCounts;
void record_shed(const Exchange& x, observe::AccessRecord& record);

bool waits_for_permit(Path& path, Exchange& x);
Task<MaybeProblem> delay(Path& path, Exchange& x);
void record_delay(const Exchange& x, observe::AccessRecord& record);
Task<MaybeProblem> hold_body(Path& path, Exchange& x);
/// Whether a place in the capacity of the upstream must be asked for or waited for; else it is taken.
bool waits_for_capacity(Path& path, Exchange& x);
Task<MaybeProblem> wait_for_capacity(Path& path, Exchange& x);
extern const StepCounts kCapacityCounts;
void record_capacity(const Exchange& x, observe::AccessRecord& record);
bool waits_for_place(Path& path, Exchange& x);
Task<MaybeProblem> wait_for_place(Path& path, Exchange& x);
MaybeProblem take_place(Path& path, Exchange& x);
void leave_place(Path& path, Exchange& x);
/// Whether a place at a server must be waited for; else it is taken.
bool waits_for_server(Path& path, Exchange& x);
Task<MaybeProblem> wait_for_server(Path& path, Exchange& x);
void leave_server(Path& path, Exchange& x);
extern const StepCounts kServerQueueCounts;

MaybeProblem note_quotas(Path& path, Exchange& x);
void leave_quotas(Path& path, Exchange& x);
/// The request is let through to what answers it.
MaybeProblem note_served(Path& path, Exchange& x);
void settle_costs(Path& path, Exchange& x);

/// Answers the request: by its route, by the gateway as the last hop, or by a server.
Task<MaybeProblem> serve(Path& path, Exchange& x);
extern const StepCounts kForwardingCounts;
Task<MaybeProblem> tell_usage(Path& path, Exchange& x, RejectionHeaders style);

/// Keeps a request that was refused because of what it is, for operators to look at.
void keep_refused(Path& path, const Exchange& x);
void keep_refused_head(Path& path, const Exchange& x, std::string_view bytes, std::optional<std::size_t> fault);
void keep_failed_handshake(Path& path, const boost::asio::ip::address& peer, std::string_view reason);
/// The end of every exchange: leaves its steps, counts it and writes it to the log.
void finish(Path& path, Exchange& x);

}  // namespace headgate::gateway
