using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>Somebody reaches the membership port of a cluster of real nodes, and knows of them what every member
/// knows.</summary>
[Collection(NodeCollection.Name)]
public sealed class IntruderTests
{
    private static readonly TimeSpan Aftermath = TimeSpan.FromSeconds(1.5);

    [Fact]
    public async Task Nobody_is_evicted_by_a_registration_from_its_address()
    {
        await using var rig = new NodeRig(isSecured: false);
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Patient);
        using TcpClient intruder = await CallAsync(
            rig, HelloOf(right.Node) with { Number = default, Incarnation = ulong.MaxValue / 2 });
        await AssertUndisturbedAsync(left, right);
    }

    [Fact]
    public async Task Nobody_takes_the_session_of_another_node()
    {
        await using var rig = new NodeRig(isSecured: false);
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Patient);
        var calls = new List<TcpClient>();
        for (ulong received = 0; received < 30; received++)
        {
            calls.Add(await CallAsync(rig, HelloOf(right.Node) with { Received = received }));
            // Should one be believed, the node says goodbye.
            await calls[^1].GetStream().WriteAsync(RawFrames.Frame([(byte)FrameKind.Goodbye])).AsTask()
                .ContinueWith(static _ => { }, TaskScheduler.Default);
        }
        await AssertUndisturbedAsync(left, right);
        foreach (TcpClient call in calls) call.Dispose();
    }

    [Fact]
    public async Task A_young_cluster_is_not_given_up_for_a_report()
    {
        await using var rig = new NodeRig(isSecured: false);
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Patient);
        HelloFrame forged = HelloOf(
            right.Node) with
        { Number = new NodeNumber(new Epoch(1, 7), 77), Session = new Epoch(1, 7), Instance = 5 };
        using TcpClient intruder = await CallAsync(rig, forged);
        var report = new FrameBuilder();
        ulong[] members = [.. Enumerable.Range(1, 9).Select(static counter => (1UL << 32) + (ulong)counter)];
        report.Begin(FrameKind.Report).WriteStep(default).WriteStep(default).WriteEpoch(forged.Session).WriteVarint(0)
            .WriteVarint(0).WriteVarint(0).WriteVarint(1);
        report.WriteEpoch(forged.Session).WriteVarint(1).WriteVarint(1).WriteByte(0).WriteEndpoint(default)
            .WriteVarint((ulong)members.Length);
        ulong last = 0;
        foreach (ulong key in members)
        {
            report.WriteSignedVarint((long)(key - last));
            last = key;
        }
        report.WriteVarint(0).WriteVarint(0);
        // The server may have closed already.
        await intruder.GetStream().WriteAsync(RawFrames.Frame(report.Span)).AsTask()
            .ContinueWith(static _ => { }, TaskScheduler.Default);
        await AssertUndisturbedAsync(left, right);
    }

    private static async Task AssertUndisturbedAsync(Group left, Group right)
    {
        await Task.Delay(Aftermath);
        await left.SendConfirmedAsync("still here").WaitAsync(NodeRig.Patience);
        Assert.False(left.Completion.IsCompleted);
        Assert.False(right.Completion.IsCompleted);
        Assert.Equal((NodeState.Running, NodeState.Running), (left.Node.State, right.Node.State));
        Assert.Equal(2, left.View.MemberCount);
    }

    private static async Task<TcpClient> CallAsync(NodeRig rig, HelloFrame hello)
    {
        var call = new TcpClient();
        await call.ConnectAsync(IPAddress.Loopback, rig.Port);
        var frame = new FrameBuilder();
        hello.WriteTo(frame);
        await call.GetStream().WriteAsync(RawFrames.Frame(frame.Span));
        return call;
    }

    private static HelloFrame HelloOf(QuickSilverNode node)
    {
        NodeInfo self = node.Core.Self!;
        return new HelloFrame
        {
            ClusterName = "tests",
            NodeName = "mallory",
            Incarnation = self.Incarnation,
            Control = self.Control,
            Data = self.Data,
            ReceiveBufferBytes = self.ReceiveBufferBytes,
            Number = self.Number,
            Session = node.Core.Stack.Cluster.Installed.Epoch,
            Instance = node.Core.Stack.Rooms.ClusterInstance,
        };
    }
}
