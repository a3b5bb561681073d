using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// A stranger registers, names an endpoint that is another's as its own, and joins a busy group: the group's traffic
/// goes there. Without security it may name what its own address could be. With security it is sent nothing but a
/// refusal, which is shorter than what it has sent.
/// </summary>
[Collection(NodeCollection.Name)]
public sealed class ReflectionTests
{
    private const int Messages = 200;

    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public async Task A_stranger_points_a_group_at_another_only_without_security(bool isSecured, bool hasPreface)
    {
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await rig.StartPairAsync(change: options =>
        {
            options.Transport.Kind = TransportKind.Unicast;
            Trouble.Patient(options);
        });
        using var victim = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        victim.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var place = new NetEndpoint(0x7F000001, (ushort)((IPEndPoint)victim.LocalEndPoint!).Port);
        using var mallory = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await mallory.ConnectAsync(new IPEndPoint(IPAddress.Loopback, rig.Port));
        byte[] said =
        [
            .. hasPreface ? Preface.Of(SecurityMode.PreSharedKey) : [],
            .. RawFrames.Hello("tests", place, place), .. RawFrames.Frame(Join("group")),
        ];
        await mallory.SendAsync(said, SocketFlags.None);
        if (!isSecured)
        {
            await NodeRig.UntilAsync(
                async () =>
                {
                    await alice.SendAsync(new byte[500]);
                    return victim.Available > 0;
                },
                "the group is sent to another");
            return;
        }
        int got = await ReadToEndAsync(mallory);
        // The server's preface has the length of the stranger's.
        Assert.InRange(got, 0, said.Length);
        for (int index = 0; index < Messages; index++) await alice.SendAsync($"{index}");
        await alice.SendConfirmedAsync("the end").WaitAsync(NodeRig.Patience);
        Assert.Equal("the end", (await NodeRig.ReadAsync(bob, Messages + 1))[^1]);
        Assert.Equal(0, victim.Available);
        Assert.Equal(2, alice.View.MemberCount);
    }

    private static byte[] Join(string group) =>
        new FrameBuilder().Begin(FrameKind.Join).WriteByte(0).WriteVarint(1).WriteText(group).Span.ToArray();

    private static async Task<int> ReadToEndAsync(Socket socket)
    {
        byte[] buffer = new byte[1000];
        int got = 0;
        try
        {
            while (await socket.ReceiveAsync(buffer, SocketFlags.None).WaitAsync(NodeRig.Patience) is > 0 and int more)
                got += more;
        }
        catch (SocketException)
        {
            // Reset: an end too.
        }
        return got;
    }
}
