using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Tests.Api;

/// <summary>What goes wrong with a node of a test, without a process of its own that could be killed.</summary>
internal static class Trouble
{
    /// <summary>Short times, so that the removal of a node can be waited for.</summary>
    public static void Quick(QuickSilverOptions options)
    {
        options.Membership.FailureTimeout = TimeSpan.FromSeconds(2);
        options.Membership.HeartbeatInterval = TimeSpan.FromMilliseconds(250);
        options.Membership.ReconnectGrace = TimeSpan.FromMilliseconds(250);
        options.Shutdown.DrainTimeout = TimeSpan.FromMilliseconds(300);
        options.Shutdown.Timeout = TimeSpan.FromSeconds(3);
    }

    /// <summary>A node that stands still is not removed while a test runs, however slow the machine is.</summary>
    public static void Patient(QuickSilverOptions options) => options.Membership.FailureTimeout = NodeRig.Patience;

    /// <summary>The node's core stands still until <see cref="Frozen.Dispose"/>: it neither receives, nor answers, nor
    /// says that it lives.</summary>
    public static async Task<Frozen> FreezeAsync(QuickSilverNode node)
    {
        var frozen = new Frozen();
        Assert.True(node.Core.Services.TryPost(_ => frozen.Hold()));
        await frozen.Held.WaitAsync(NodeRig.Patience);
        return frozen;
    }

    /// <summary>
    /// The node's core dies of a defect: sockets and connections are closed without a goodbye, like those of a process
    /// that is killed.
    /// </summary>
    public static async Task CrashAsync(QuickSilverNode node)
    {
        Assert.True(node.Core.Services.TryPost(static _ => throw new InvalidOperationException("a defect")));
        QuickSilverException end = await Assert.ThrowsAsync<QuickSilverException>(
            async () => await node.Completion.WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.Internal, end.Code);
    }

    /// <summary>The node hears from the membership server that it has been removed.</summary>
    public static void Expel(QuickSilverNode node, MembershipRefusal reason = MembershipRefusal.Removed) =>
        Assert.True(node.Core.Services.TryPost(now => ((INodeUpcalls)node.Core).OnExpelled(reason, now)));

    /// <summary>What was called before has reached the node's core.</summary>
    public static async Task SettleAsync(QuickSilverNode node)
    {
        var settled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Assert.True(node.Core.Services.TryPost(_ => settled.SetResult()));
        await settled.Task.WaitAsync(NodeRig.Patience);
    }

    public sealed class Frozen : IDisposable
    {
        private readonly TaskCompletionSource _held = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _thaw = new();

        public Task Held => _held.Task;

        public void Hold()
        {
            _held.SetResult();
            _thaw.Wait();
        }

        public void Dispose() => _thaw.Set();
    }
}
