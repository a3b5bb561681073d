using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Nodes;

/// <summary>
/// Carries the <see cref="SendPlan"/>s of a run out, one event a message. A plan is bound to a machine and not to a
/// node: what is due while the machine has no node in the group is not sent, and the next node there goes on.
/// </summary>
/// <param name="run">Draws the sizes: the same for the same plan, whatever else happens.</param>
/// <param name="events">Where messages are due.</param>
/// <param name="nodeOn">The last node of a machine, ended or not.</param>
internal sealed class SendPlans(RunContext run, EventQueue events, Func<int, SimulatedNode> nodeOn)
{
    private ulong _started;

    /// <summary>Plans that have messages left.</summary>
    public int UnderWay { get; private set; }

    /// <summary>Begins a plan.</summary>
    public void Start(SendPlan plan)
    {
        UnderWay++;
        events.Schedule(run.Now + plan.Start, new Execution(this, plan, _started++));
    }

    private SimulatedNode On(int machine) => nodeOn(machine);

    private int Draw(SendPlan plan, ulong id, ulong message) =>
        run.Random.DrawBetween(
            plan.MinBytes, plan.MaxBytes + 1, RandomStream.Workload, id, 0, message / (ulong)Math.Max(1, plan.Alike));

    // As one in sixteen calls of an application that waits for confirmation now and then.
    private bool DrawConfirmed(ulong id, ulong message) =>
        run.Random.DrawBetween(0, 16, RandomStream.Workload, id, 1, message) == 0;

    private void ScheduleNext(Execution execution, Instant due) => events.Schedule(due, execution);

    private sealed class Execution(SendPlans plans, SendPlan plan, ulong id) : IEventTarget
    {
        private int _due;

        public void OnEvent(object? argument, long value, Instant now)
        {
            SimulatedNode node = plans.On(plan.Node);
            do
            {
                if (_due++ >= plan.Count)
                {
                    plans.UnderWay--;
                    return;
                }
                if (!node.IsAlive || node.FindSender(plan.Group) is null) continue;
                bool mayBeLong = plan.Long && SimulatedModes.Of(plan.Group) == GroupModes.Reliable;
                if (mayBeLong) node.WriteLongMessages(plan.Group);
                ulong message = (ulong)_due - 1;
                int bytes = plans.Draw(plan, id, message);
                if (plan.Also is { } also) node.SendTogether([plan.Group, .. also], bytes);
                else if (plan.Staged) node.Stage(plan.Group, bytes, plans.DrawConfirmed(id, message));
                else if (plan.Pulled) node.Pull(plan.Group, 1, bytes);
                else node.Send(plan.Group, bytes);
            }
            while (plan.Interval == TimeSpan.Zero);
            plans.ScheduleNext(this, now + plan.Interval);
        }
    }
}
