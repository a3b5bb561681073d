using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// Datagrams in members' names, sent to real nodes from a socket of the attacker's on the same machine. What has to be
/// known for it (cluster, view, keys, ports) any user can find out; here the test reads it from the nodes. The nodes
/// have no security: the check of the source holds without it.
/// </summary>
[Collection(NodeCollection.Name)]
public sealed class ForgedDatagramTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_forged_acknowledgement_confirms_nothing(bool path)
    {
        await using var rig = new NodeRig(isSecured: false);
        (Group sender, Group silent) = await StartAsync(rig, path);
        Task<DeliveryReport> confirmed;
        using (await Trouble.FreezeAsync(silent.Node))
        {
            confirmed = sender.SendConfirmedAsync(new byte[100]);
            using var attacker = await DatagramForger.AgainstAsync(sender.Node);
            long until = Environment.TickCount64 + (long)Long.TotalMilliseconds;
            while (Environment.TickCount64 < until)
            {
                for (ulong stable = 1; stable < 20; stable++)
                    attacker.Send(sender.Node, silent.Node, DatagramKind.Ack, DatagramForger.Ack(stable));
                await Task.Delay(5);
            }
            Assert.False(confirmed.IsCompleted, "a message that the other member does not hold was confirmed");
            await UntilRejectedAsync(sender.Node, 19);
        }
        await confirmed.WaitAsync(NodeRig.Patience);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_forged_token_removes_nobody(bool path)
    {
        await using var rig = new NodeRig(isSecured: false);
        (Group one, Group other) = await StartAsync(rig, path);
        using var attacker = await DatagramForger.AgainstAsync(one.Node);
        for (uint index = 0; index < 50; index++)
        {
            foreach ((
                QuickSilverNode to, QuickSilverNode from) in ((QuickSilverNode, QuickSilverNode)[])[
                    (one.Node, other.Node), (other.Node, one.Node)])
                attacker.Send(to, from, DatagramKind.Token, attacker.Token(to, from, index));
        }
        await one.SendAsync(new byte[10]);
        await other.SendAsync(new byte[10]);
        Assert.Equal(2, (await NodeRig.ReadAsync(one, 2)).Count);
        Assert.Equal(2, (await NodeRig.ReadAsync(other, 2)).Count);
        await one.SendConfirmedAsync(new byte[10]).WaitAsync(NodeRig.Patience);
        await UntilRejectedAsync(one.Node, 50);
        await UntilRejectedAsync(other.Node, 50);
    }

    // A node reads its sockets in turn: a message by one says nothing of what lies in another.
    private static Task UntilRejectedAsync(QuickSilverNode node, ulong count) => NodeRig.UntilAsync(
        async () => await DatagramForger.RejectedAsync(node, RejectReason.WrongSource) >= count,
        $"{count} are rejected");

    private static async Task<(Group Sender, Group Silent)> StartAsync(NodeRig rig, bool path) =>
        await rig.StartPairAsync(change: options =>
        {
            options.Transport.FastPath = path;
            Trouble.Patient(options);
        });
}
