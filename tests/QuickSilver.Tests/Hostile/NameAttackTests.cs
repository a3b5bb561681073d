using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;

namespace QuickSilver.Tests.Hostile;

/// <summary>Names that would write something else into a log than a name: a server refuses those of others, a node
/// those of its own user.</summary>
[Collection(NodeCollection.Name)]
public sealed class NameAttackTests
{
    public static TheoryData<string> Names =>
        ["line\u2028separator", "bidi\u202Eoverride", "zero\u200Bwidth", "private\uE000use",
            "three\u0301\u0301\u0301marks", "escape\u001B[31m"];

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_node_of_such_a_name_is_refused(string name)
    {
        var events = new TestHost();
        await using MembershipHost host = events.Start();
        var endpoint = new NetEndpoint(0x7F000001, 2001);
        foreach ((string cluster, string node) in ((string, string)[])[("test", name), (name, "node")])
        {
            var builder = new FrameBuilder();
            new HelloFrame
            {
                ClusterName = cluster,
                NodeName = node,
                Incarnation = 1,
                Control = endpoint,
                Data = endpoint
            }.WriteTo(
                    builder);
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(host.EndPoint);
            await socket.SendAsync(RawFrames.Frame(builder.Span), SocketFlags.None);
            byte[] answer = new byte[1000];
            int length = 0;
            while (await socket.ReceiveAsync(answer.AsMemory(length), SocketFlags.None) is > 0 and var read)
                length += read;
            Assert.DoesNotContain((byte)FrameKind.Welcome, answer.AsSpan(FrameBatch.PrefixBytes, 1).ToArray());
        }
        Assert.Equal(2, host.Counters.RefusedFor(MembershipRefusal.BadFrame));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_users_own_is_a_named_mistake(string name)
    {
        await using var rig = new NodeRig();
        ArgumentException node = await Assert.ThrowsAsync<ArgumentException>(
            () => rig.StartAsync(options => options.NodeName = name));
        Assert.Contains("NodeName", node.Message, StringComparison.Ordinal);
        ArgumentException cluster = await Assert.ThrowsAsync<ArgumentException>(
            () => rig.StartAsync(options => options.ClusterName = name));
        Assert.Contains("ClusterName", cluster.Message, StringComparison.Ordinal);
        QuickSilverNode good = await rig.StartAsync();
        ArgumentException group = await Assert.ThrowsAsync<ArgumentException>(async () => await good.JoinAsync(name));
        Assert.DoesNotContain(name, group.Message, StringComparison.Ordinal);
    }
}
