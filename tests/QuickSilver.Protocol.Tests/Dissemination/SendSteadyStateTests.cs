using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

public class SendSteadyStateTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void SendingAllocatesNothing(bool unicast)
    {
        var world = new SendWorld { Keeps = false };
        GroupInfo[] groups = [.. Enumerable.Range(1, 50).Select(index => SendWorld.Group((uint)index))];
        RegionView near = world.View(1, 1, 1, world.Nodes(1, 4), unicast, groups);
        RegionView far = world.View(2, 2, 1, world.Nodes(20, 4), unicast, groups[..25]);
        world.Begin(groups, near, far);
        GroupSender[] senders = [.. groups.Select(world.Open)];
        SendPayload[] payloads = [.. Enumerable.Range(0, 40).Select(index => new SendPayload(new byte[index * 70]))];
        var ticket = new TicketStub();
        var source = new SourceStub(int.MaxValue, 300);
        senders[0].AddSource(source);

        Run(world, senders, payloads, ticket, source, 10_000);
        Assert.Equal(0, AllocatedBytes.Of(() => Run(world, senders, payloads, ticket, source, 20_000)));

        Assert.True(world.Counters.MessagesSent >= 30_000);
        Assert.True(world.Counters.Retransmissions > 100 && world.Counters.Beacons > 10);
        world.AckAll();
        world.Disseminator.Close();
        Assert.Equal(0, world.Pool.OutstandingChunks);
        Assert.Equal(0, world.Alarms.Count);
    }

    [Theory]
    [InlineData(1UL)]
    [InlineData(2UL)]
    [InlineData(3UL)]
    public void EverythingComesHomeWhateverWasGoingOn(ulong seed)
    {
        for (int run = 0; run < 15; run++) RunAnything((seed * 1000) + (ulong)run);
    }

    private static void Run(
        SendWorld world, GroupSender[] senders, SendPayload[] payloads, TicketStub ticket, SourceStub source,
        int messages)
    {
        for (int index = 0; index < messages; index++)
        {
            world.Send(
                senders[index % senders.Length], payloads[index % payloads.Length], index % 3 == 0 ? ticket : null);
            if (index % 100 == 99) world.Now += TimeSpan.FromMilliseconds(1);
            if (index % 500 == 0)
            {
                source.Ready = 20;
                senders[0].Signal(source, world.Now);
            }
            if (index % 16 != 0) continue;
            if (index % 1600 == 0) world.RunFor(TimeSpan.FromMilliseconds(20));
            world.PullAll();
            for (int at = 0; at < world.Disseminator.Streams.Count; at++)
            {
                StreamSender stream = world.Disseminator.Streams[at];
                if (stream.Highest > stream.Stable) Repair(world, stream);
                ulong lag = (ulong)(index % 5);
                world.Ack(
                    stream, stream.Highest > lag ? Math.Max(stream.Stable, stream.Highest - lag) : stream.Stable,
                    stream.Highest);
            }
        }
        world.PullAll();
    }

    private static void Repair(SendWorld world, StreamSender stream)
    {
        Span<byte> body = stackalloc byte[64];
        var writer = new WireWriter(body);
        NakBody.Write(ref writer, partitionWide: true, [new SequenceRange(stream.Stable + 1, stream.Stable + 2)]);
        NakBody.TryRead(body[..writer.Written], out NakBody nak);
        Assert.True(world.Disseminator.OnNak(stream, nak, stream.View.Members[^1], world.Now));
    }

    // Random traffic, steps, removals, retirements and feedback; then the end, at any moment.
    private static void RunAnything(ulong seed)
    {
        var random = new SeededRandom(seed);
        string where = $"seed {seed}";
        var world = new SendWorld(receiveBuffer: random.NextBelow(2) == 0 ? 200_000 : 8 << 20);
        GroupInfo[] groups = [.. Enumerable.Range(1, 6).Select(index => SendWorld.Group((uint)index))];
        ulong step = 1;
        uint number = 0;
        RegionView Fresh(uint region) => world.View(
            region,
            ++number,
            step,
            world.Nodes(region == 1 ? 1 : region * 10, 1 + (int)random.NextBelow(4)),
            unicast: random.NextBelow(2) == 0,
            region == 1 ? groups : groups[(int)random.NextBelow(3)..]);
        world.Begin(groups, Fresh(1), Fresh(2), Fresh(3));
        RandomSource[] sources = [.. groups.Select(_ => new RandomSource(random))];
        for (int index = 0; index < groups.Length; index++) world.Open(groups[index]).AddSource(sources[index]);
        var payloads = new List<SendPayload>();
        var tickets = new List<TicketStub>();
        var known = new List<RegionView>(world.Cluster.Current);
        for (int turn = 0; turn < 120; turn++)
        {
            switch (random.NextBelow(14))
            {
                case 12 or 13:
                    int asked = (int)random.NextBelow((ulong)groups.Length);
                    sources[asked].Ready += (int)random.NextBelow(30);
                    world.Open(groups[asked]).Signal(sources[asked], world.Now);
                    break;
                case 0:
                    step++;
                    world.Install(step, Fresh(1 + (uint)random.NextBelow(3)));
                    known.Add(world.Cluster.Current[^1]);
                    break;
                case 1:
                    world.Switch();
                    break;
                case 2 when random.NextBelow(4) == 0:
                    RegionView hit = known[(int)random.NextBelow((ulong)known.Count)];
                    NodeInfo victim = hit.Members[(int)random.NextBelow((ulong)hit.Members.Length)];
                    if (victim != world.Self) world.Remove(victim);
                    break;
                case 3 when world.Done.Count > 0:
                    world.Disseminator.OnViewRetired(
                        world.Done[(int)random.NextBelow((ulong)world.Done.Count)], world.Now);
                    break;
                case 4 or 5:
                    foreach (StreamSender stream in world.Disseminator.Streams)
                    {
                        ulong stable = stream.Stable + random.NextBelow(stream.Highest - stream.Stable + 1);
                        world.Ack(
                            stream, stable,
                            random.NextBelow(2) == 0 ? null : stable + random.NextBelow(stream.Highest - stable + 1));
                        if (stable == stream.Highest) continue;
                        var missing = new SequenceRange(stable + 1, stream.Highest + 1);
                        world.Nak(stream, stream.View.Members[^1], random.NextBelow(2) == 0, missing);
                    }
                    break;
                case 6:
                    world.RunFor(random.NextBelow(TimeSpan.FromMilliseconds(30)));
                    break;
                case 7:
                    world.PullAll((int)random.NextBelow(5));
                    break;
                default:
                    for (ulong left = random.NextBelow(30); left > 0; left--)
                    {
                        payloads.Add(
                            new SendPayload(new byte[random.NextBelow(random.NextBelow(5) == 0 ? 30_000UL : 1500UL)]));
                        tickets.Add(new TicketStub());
                        world.Send(world.Open(groups[(int)random.NextBelow(6)]), payloads[^1], tickets[^1]);
                    }
                    break;
            }
        }
        if (random.NextBelow(2) == 0) DrainAll(world, groups, tickets, sources, where);
        world.DropWaiting();
        world.Disseminator.Close();
        Assert.True(world.Pool.OutstandingChunks == 0, $"{where}: {world.Pool.OutstandingChunks} chunks are out");
        Assert.True(
            payloads.TrueForAll(payload => payload.Recycled == 1),
            $"{where}: a payload was not given back exactly once");
        Assert.True(world.Alarms.Count == 0, where);
        Assert.True(world.Transport.OpenChannels == 0, where);
        foreach (IGrouping<GroupSender, (GroupSender Group, ulong Number, byte[] Bytes)> own in world.Own.GroupBy(
            own => own.Group))
        {
            bool inOrder = own.Select((message, index) => message.Number == (ulong)index + 1).All(right => right);
            Assert.True(inOrder, $"{where}: own deliveries out of order");
        }
    }

    private static void DrainAll(
        SendWorld world, GroupInfo[] groups, List<TicketStub> tickets, RandomSource[] sources, string where)
    {
        world.Switch();
        bool IsDone() => world.Counters.PendingMessages == 0
            && Array.TrueForAll(groups, group => world.Waiting(world.Open(group)) == 0)
            && Array.TrueForAll(sources, source => source.Ready == 0);
        for (int round = 0; round < 2000 && !IsDone(); round++)
        {
            world.PullAll();
            world.AckAll();
            world.RunFor(TimeSpan.FromMilliseconds(1));
        }
        Assert.True(
            tickets.TrueForAll(ticket => ticket.StableCalls == 1), $"{where}: a ticket was not told exactly once");
        Assert.True(
            world.Own.Count == tickets.Count + sources.Sum(source => source.Written.Count),
            $"{where}: own deliveries are missing");
        Assert.True(
            world.Counters.PendingMessages == 0 && world.Counters.PendingBytes == 0,
            $"{where}: something still counts as pending");
        Assert.True(world.Disseminator.Streams.All(stream => stream.Stable == stream.Highest), where);
    }
}
