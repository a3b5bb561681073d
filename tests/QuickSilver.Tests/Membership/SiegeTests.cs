using System.Collections.Concurrent;
using System.Diagnostics;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>A cluster at work while hundreds of strangers do everything wrong at its membership port that can be done
/// wrong.</summary>
[Collection(NodeCollection.Name)]
public sealed class SiegeTests
{
    private const int LeastConnections = 400;
    private static readonly TimeSpan Phase = TimeSpan.FromSeconds(3);

    [Fact]
    public async Task A_cluster_works_on_while_its_membership_port_is_under_siege()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Patient);
        var happened = new ConcurrentQueue<string>();
        foreach (Group group in (Group[])[left, right]) group.Node.Events += (_, told) => Note(told, happened);

        List<double> quiet = await ConfirmAsync(left, right, first: 0, static () => true);
        List<double> besieged;
        int strangers;
        int joins = 0;
        await using (var attackers = new Attackers(rig.Port))
        {
            Task<List<double>> traffic = ConfirmAsync(
                left, right, quiet.Count,
                () => Volatile.Read(ref joins) >= 2 && attackers.Connections >= LeastConnections);
            while (!traffic.IsCompleted)
            {
                // The membership serves its own all the while.
                await using Group another = await right.Node.JoinAsync($"another {Interlocked.Increment(ref joins)}")
                    .WaitAsync(NodeRig.Patience);
            }
            besieged = await traffic;
            strangers = attackers.Connections;
        }

        Assert.Empty(happened);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"quiet: {Describe(quiet)}; besieged by {strangers} connections: {Describe(besieged)}; {joins} joins and "
                + $"leaves meanwhile");
    }

    private static void Note(NodeEvent told, ConcurrentQueue<string> happened)
    {
        if (told is not (CoreStalled or CarrierSelected or NodeStateChanged { Before: NodeState.Starting }))
            happened.Enqueue(told.ToString());
    }

    // Each message is read, in order, and confirmed before the next is sent.
    private static async Task<List<double>> ConfirmAsync(Group from, Group to, int first, Func<bool> isEnough)
    {
        List<double> micros = [];
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < Phase || !isEnough())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Phase + NodeRig.Patience, "the siege does not come about");
            string text = $"message {first + micros.Count}";
            long sent = Stopwatch.GetTimestamp();
            await from.SendConfirmedAsync(text).WaitAsync(NodeRig.Patience);
            micros.Add(Stopwatch.GetElapsedTime(sent).TotalMicroseconds);
            Assert.Equal([text], await NodeRig.ReadAsync(to, 1));
        }
        return micros;
    }

    private static string Describe(List<double> micros)
    {
        double[] sorted = [.. micros.Order()];
        return $"{sorted.Length} confirmed messages, p50 {sorted[sorted.Length / 2]:N0} us, p99 "
            + $"{sorted[sorted.Length * 99 / 100]:N0} us";
    }
}
