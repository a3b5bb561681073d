using QuickSilver.Protocol.Stack;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Runs;
using static QuickSilver.Simulation.Tests.Planted.Targeted.TargetedRun;

namespace QuickSilver.Simulation.Tests.Planted.Targeted;

/// <summary>Runs in which handlers are slower than the messages come.</summary>
internal static class SlowRuns
{
    /// <summary>The handler of one or two of seven members takes ten milliseconds; a member sends 500 messages a
    /// second.</summary>
    public static RunSpec SlowMember(ulong seed)
    {
        int slow = 2 + (int)(seed % 4);
        RunSpec run = Make(seed, nodes: 7, Node());
        return Sending(run) with
        {
            Faults =
            [
                Handler(slow),
                .. seed % 2 == 0 ? (Fault[])[Handler(slow + 1)] : [],
            ],
        };
    }

    /// <summary>The handlers of all members but the sender are slow: nobody is removed. In half of the seeds so few
    /// messages may be pending that no member is behind for long.</summary>
    public static RunSpec AllSlow(ulong seed)
    {
        RunSpec run = Make(seed, nodes: 5, Node() with { MaxPendingMessages = seed % 2 == 0 ? 30 : 500 });
        // All is sent before the handlers become quick again.
        SendPlan plan = Sending(run).Plans[0] with { Count = 2_000 };
        return Sending(run) with { Plans = [plan], Faults = [.. Enumerable.Range(1, 4).Select(Handler)] };
    }

    private static RunSpec Sending(RunSpec run) => run with
    {
        Plans = [new SendPlan(0, Main, 15_000, Millis(2)) { Start = Millis(1000), Staged = true }],
        HealAt = Millis(32_000),
        SettleLimit = Millis(120_000),
    };

    private static SlowHandler Handler(int node) => new(Millis(2000), Millis(29_000), node, Millis(10));

    private static NodeSettings Node() => new()
    {
        MaxPendingMessages = 500,
        SlowMemberTimeout = Millis(2000),
    };
}
