using System.Diagnostics;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>The application blocks every thread of the pool. Not beside other tests, which need some.</summary>
[Collection(NodeCollection.Name)]
public sealed class StarvedPoolTests
{
    private const int Blockers = 400;
    private static readonly TimeSpan FailureTimeout = TimeSpan.FromSeconds(1);
    private readonly TestHost _events = new();

    [Fact]
    public async Task A_host_whose_thread_pool_is_blocked_removes_nobody_who_lives()
    {
        var server = new MembershipServerSettings { ClusterName = "threaded", FailureTimeout = FailureTimeout };
        await using MembershipHost host = _events.Start(TestHost.Settings with { Server = server });
        using var node = new ThreadedNode(host.EndPoint);
        Wait(() => node.Answers > 0);

        BlockPool(3 * FailureTimeout);
        int answers = node.Answers;
        Wait(() => node.Answers > answers + 5 || node.IsClosed);
        Assert.Equal(0, host.Counters.RefusedFor(MembershipRefusal.Removed));
        Assert.False(node.IsClosed);
    }

    // Returns when the pool has its threads back; the pool adds a thread or two a second to those it has, far fewer
    // than are blocked here.
    private static void BlockPool(TimeSpan time)
    {
        using var release = new ManualResetEventSlim();
        using var released = new CountdownEvent(Blockers);
        for (int index = 0; index < Blockers; index++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static gate =>
                {
                    gate.release.Wait();
                    gate.released.Signal();
                },
                (release, released),
                preferLocal: false);
        }
        Thread.Sleep(time);
        release.Set();
        released.Wait();
    }

    private static void Wait(Func<bool> condition)
    {
        long start = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < NodeRig.Patience, "it did not happen");
            Thread.Sleep(1);
        }
    }
}
