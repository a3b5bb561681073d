using System.Buffers.Binary;
using System.Text;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// What another program of the machine does with a socket of its own: it listens, forges and repeats datagrams. Each
/// attack is tried twice. Against nodes without security it succeeds, which shows that it is one; against secured nodes
/// it fails. The check of sources is off: an attacker who spoofs them, or a network that rewrites them, has the same
/// effect.
/// </summary>
[Collection(NodeCollection.Name)]
public sealed class DatagramAttackTests
{
    private const int Tries = 50;
    private const int SequenceOffset = 32;
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_group_is_read_on_the_way_only_without_security(bool isSecured)
    {
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await StartAsync(rig);
        using DatagramForger mallory = await DatagramForger.AgainstAsync(alice.Node);
        using var ear = new Eavesdropper(mallory.Multicast);
        await alice.SendConfirmedAsync("the secret of alice").WaitAsync(NodeRig.Patience);
        Assert.Equal(["the secret of alice"], await NodeRig.ReadAsync(bob, 1));
        await NodeRig.UntilAsync(() => LastPacket(ear) > 0, "the packet was heard");
        byte[] secret = Encoding.UTF8.GetBytes("the secret of alice");
        Assert.Equal(!isSecured, ear.Heard.Any(one => one.AsSpan().IndexOf(secret) >= 0));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Forged_data_takes_the_place_of_the_genuine_only_without_security(bool isSecured)
    {
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await StartAsync(rig);
        using DatagramForger mallory = await DatagramForger.AgainstAsync(alice.Node);
        using var ear = new Eavesdropper(mallory.Multicast);
        await alice.SendConfirmedAsync("genuine 1").WaitAsync(NodeRig.Patience);
        await alice.SendConfirmedAsync("genuine 2").WaitAsync(NodeRig.Patience);
        Assert.Equal(2, (await NodeRig.ReadAsync(bob, 2)).Count);
        await NodeRig.UntilAsync(() => LastPacket(ear) >= 2, "the packets were heard");
        ulong next = LastPacket(ear) + 1;
        byte[] last = ear.Heard.Last(static one => KindOf(one) == DatagramKind.Data);
        byte[] body = DatagramForger.PacketAfter(last, "FORGED! 3"u8.ToArray());
        foreach (DatagramKind kind in (DatagramKind[])[DatagramKind.Data, DatagramKind.Repair])
        {
            mallory.SendData(bob.Node, mallory.Forge(alice.Node, kind, body, next));
            mallory.SendData(bob.Node, mallory.Forge(alice.Node, kind, body, next, looksSealed: true));
        }
        // A genuine one, sealed by alice, for another sequence.
        foreach (byte[] heard in ear.Heard.Where(static one => KindOf(one) == DatagramKind.Data))
        {
            byte[] moved = [.. heard];
            BinaryPrimitives.WriteUInt64LittleEndian(moved.AsSpan(SequenceOffset), next);
            mallory.SendData(bob.Node, moved);
        }
        // What was forged is read before the genuine one is sent.
        if (isSecured) await NodeRig.UntilAsync(async () => await RefusedAsync(bob.Node) >= 6, "it is dropped");
        else Assert.Equal(["FORGED! 3"], await NodeRig.ReadAsync(bob, 1));
        // Alice is told that bob holds it, in either case.
        await alice.SendConfirmedAsync("genuine 3").WaitAsync(NodeRig.Patience);
        if (isSecured) Assert.Equal(["genuine 3"], await NodeRig.ReadAsync(bob, 1));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_forged_acknowledgement_confirms_only_without_security(bool isSecured)
    {
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await StartAsync(rig);
        using DatagramForger mallory = await DatagramForger.AgainstAsync(alice.Node);
        Task<DeliveryReport> confirmed;
        using (await Trouble.FreezeAsync(bob.Node))
        {
            confirmed = alice.SendConfirmedAsync(new byte[100]);
            long start = Environment.TickCount64;
            TimeSpan limit = isSecured ? Long : NodeRig.Patience;
            while (!confirmed.IsCompleted && Environment.TickCount64 - start < limit.TotalMilliseconds)
            {
                for (ulong stable = 1; stable < 5; stable++)
                    mallory.SendBoth(alice.Node, bob.Node, DatagramKind.Ack, DatagramForger.Ack(stable));
                await Task.Delay(5);
            }
            Assert.Equal(!isSecured, confirmed.IsCompleted);
            if (isSecured) await UntilRefusedAsync(alice.Node, 1);
        }
        await confirmed.WaitAsync(NodeRig.Patience);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_forged_token_makes_members_drop_another_only_without_security(bool isSecured)
    {
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await StartAsync(rig);
        using DatagramForger mallory = await DatagramForger.AgainstAsync(alice.Node);
        for (uint index = 0; index < Tries; index++)
            mallory.SendBoth(alice.Node, bob.Node, DatagramKind.Token, mallory.Token(alice.Node, bob.Node, index));
        await Trouble.SettleAsync(alice.Node);
        await bob.SendAsync("from bob");
        if (isSecured)
        {
            Assert.Equal(["from bob"], await NodeRig.ReadAsync(alice, 1));
            await alice.SendConfirmedAsync("from alice").WaitAsync(NodeRig.Patience);
            await UntilRefusedAsync(alice.Node, 2 * Tries);
            Assert.Equal(0UL, await DatagramForger.RejectedAsync(alice.Node, RejectReason.RemovedSender));
            Assert.Equal(2, alice.View.MemberCount);
        }
        else
        {
            await NodeRig.UntilAsync(
                async () => await DatagramForger.RejectedAsync(alice.Node, RejectReason.RemovedSender) > 0,
                "what bob sends is dropped");
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_forged_beacon_makes_members_ask_for_what_was_never_sent_only_without_security(bool isSecured)
    {
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await StartAsync(rig);
        using DatagramForger mallory = await DatagramForger.AgainstAsync(alice.Node);
        await alice.SendConfirmedAsync("genuine 1").WaitAsync(NodeRig.Patience);
        await NodeRig.ReadAsync(bob, 1);
        for (int index = 0; index < Tries; index++)
        {
            foreach (bool looksSealed in (bool[])[false, true])
            {
                mallory.SendData(
                    bob.Node, mallory.Forge(alice.Node, DatagramKind.Beacon, [], (ulong)(100 + index), looksSealed));
            }
        }
        if (!isSecured)
        {
            await NodeRig.UntilAsync(
                async () => await DatagramForger.RejectedAsync(alice.Node, RejectReason.NeverSent) > 0,
                "bob asks for what alice has never sent");
            return;
        }
        await alice.SendConfirmedAsync("genuine 2").WaitAsync(NodeRig.Patience);
        Assert.Equal(["genuine 2"], await NodeRig.ReadAsync(bob, 1));
        Assert.Equal(0, (await bob.Node.GetStatisticsAsync()).PacketsMissed);
        Assert.Equal(0UL, await DatagramForger.RejectedAsync(alice.Node, RejectReason.NeverSent));
        await UntilRefusedAsync(bob.Node, 2 * Tries);
    }

    [Fact]
    public async Task What_was_heard_changes_nothing_when_it_is_sent_again()
    {
        await using var rig = new NodeRig();
        (Group alice, Group bob) = await StartAsync(rig);
        using DatagramForger mallory = await DatagramForger.AgainstAsync(alice.Node);
        using var ear = new Eavesdropper(mallory.Multicast);
        // A stream whose packets are stable sends no beacon: it is used until one was due before they were.
        int sent = 0;
        await NodeRig.UntilAsync(
            async () =>
            {
                await alice.SendConfirmedAsync($"{sent++}").WaitAsync(NodeRig.Patience);
                return sent >= 20 && ear.Heard.Any(static one => KindOf(one) == DatagramKind.Beacon);
            },
            "a beacon was heard");
        Replay();
        await NodeRig.UntilAsync(
            async () => await DatagramForger.RejectedAsync(bob.Node, RejectReason.Replayed) > 0, "it was known");
        // In the name of what it is not, and in a later view, whose keys are others.
        foreach (byte[] heard in ear.Heard)
        {
            byte[] changed = [.. heard];
            changed[DatagramHeader.KindOffset] = (byte)DatagramKind.Repair;
            mallory.SendData(bob.Node, changed);
        }
        Group carol = await (await rig.StartAsync(Open)).JoinAsync("group");
        await carol.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        Replay();
        await alice.SendConfirmedAsync("the end").WaitAsync(NodeRig.Patience);
        string[] expected = [.. Enumerable.Range(0, sent).Select(static index => $"{index}"), "the end"];
        Assert.Equal(expected, await NodeRig.ReadAsync(bob, sent + 1));
        Assert.Equal(["the end"], await NodeRig.ReadAsync(carol, 1));
        Assert.Equal(3, alice.View.MemberCount);

        void Replay()
        {
            foreach (byte[] heard in ear.Heard)
            {
                mallory.SendData(bob.Node, heard);
                mallory.SendControl(bob.Node, heard);
            }
        }
    }

    [Fact]
    public async Task A_flood_of_junk_is_counted_and_changes_no_view()
    {
        const int Count = 20_000;
        await using var rig = new NodeRig();
        (Group alice, Group bob) = await StartAsync(rig);
        using DatagramForger mallory = await DatagramForger.AgainstAsync(alice.Node);
        byte[] ack = DatagramForger.Ack(1);
        byte[][] junk =
        [
            new byte[200],
            mallory.Forge(alice.Node, DatagramKind.Data, new byte[200], 1, looksSealed: true),
            mallory.Forge(alice.Node, DatagramKind.Ack, ack, DatagramForger.KeyOf(bob.Node), looksSealed: true),
            mallory.Forge(alice.Node, DatagramKind.Token, new byte[100], 0, looksSealed: true),
            mallory.Forge(alice.Node, DatagramKind.Data, new byte[200], 1),
        ];
        ulong before = await DatagramForger.ViewAsync(bob.Node);
        // A kernel whose buffer is full drops what comes: so many that some are read in any case.
        for (int index = 0; index < Count; index++) mallory.SendData(bob.Node, junk[index % junk.Length]);
        await NodeRig.UntilAsync(
            async () => await DatagramForger.RejectedAsync(bob.Node, RejectReason.Gate) > 0
                && await DatagramForger.RejectedAsync(bob.Node, RejectReason.WrongVersion) > 0
                && await DatagramForger.RejectedAsync(bob.Node, RejectReason.WrongMagic) > 0,
            "the junk is counted");
        await alice.SendConfirmedAsync("still here").WaitAsync(NodeRig.Patience);
        Assert.Equal(["still here"], await NodeRig.ReadAsync(bob, 1));
        Assert.Equal(before, await DatagramForger.ViewAsync(bob.Node));
        Assert.Equal(2, alice.View.MemberCount);
    }

    private static Task<(Group Left, Group Right)> StartAsync(NodeRig rig) => rig.StartPairAsync(change: Open);

    private static void Open(QuickSilverOptions options)
    {
        Trouble.Patient(options);
        options.Transport.CheckSources = false;
        options.Transport.SharedMemory = false;
        options.Transport.Kind = TransportKind.Multicast;
        options.Shutdown.DrainTimeout = TimeSpan.FromMilliseconds(300);
        options.Shutdown.Timeout = TimeSpan.FromSeconds(3);
    }

    // A member reads its sockets in turn: an answer by one says nothing of what lies in another.
    private static Task UntilRefusedAsync(QuickSilverNode node, ulong count) =>
        NodeRig.UntilAsync(async () => await RefusedAsync(node) >= count, $"{count} are refused");

    private static Task<ulong> RefusedAsync(QuickSilverNode node) =>
        DatagramForger.RejectedAsync(node, RejectReason.WrongVersion, RejectReason.Gate);

    private static DatagramKind KindOf(byte[] datagram) =>
        (DatagramKind)(datagram[DatagramHeader.KindOffset] & 0x7F);

    private static ulong LastPacket(Eavesdropper ear) =>
        ear.Heard.Where(static one => KindOf(one) == DatagramKind.Data)
            .Select(static one => BinaryPrimitives.ReadUInt64LittleEndian(one.AsSpan(SequenceOffset)))
            .DefaultIfEmpty().Max();
}
