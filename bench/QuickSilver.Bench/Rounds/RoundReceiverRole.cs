using System.Threading.Channels;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Rounds;

/// <summary>A member that tells the coordinator when all of a round has come: each message once, in order,
/// whole.</summary>
internal static class RoundReceiverRole
{
    /// <summary>Joins, and receives until its input ends.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        var shape = new RoundShape(order);
        var ends = Channel.CreateUnbounded<string?>();
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        Group echo = await node.JoinAsync(EchoMeter.Group, new GroupOptions
        {
            SelfDelivery = false,
            BufferBeforeFirstRead = false,
            OnMessage = static (in _) => { },
        });
        var sink = new Sink(order, shape, echo, ends.Writer);
        IReadOnlyList<string> names = RoleNode.GroupNames(order.Groups);
        await node.JoinManyAsync(
            shape.GroupsOf(order.Number).Select(group => names[group]),
            new GroupOptions { OnBatch = sink.OnBatch, BufferBeforeFirstRead = false });
        var meter = new RoundMeter(node);
        Task telling = TellEndsAsync(channel, ends.Reader);
        channel.TellReady();
        await foreach (string command in channel.Commands.ReadAllAsync())
        {
            if (command == RoundCommands.Figures) await meter.TellAsync(channel);
        }
        await telling;
    }

    // The core thread does not write to a pipe.
    private static async Task TellEndsAsync(RoleChannel channel, ChannelReader<string?> ends)
    {
        await foreach (string? fault in ends.ReadAllAsync())
        {
            if (fault is null) channel.TellDone(RoundCommands.Received);
            else channel.TellFailure(fault);
        }
    }

    private sealed class Sink(RoleOrder order, RoundShape shape, Group echo, ChannelWriter<string?> ends)
    {
        private readonly IReadOnlyList<string> _names = RoleNode.GroupNames(order.Groups);
        private readonly long[] _last = new long[order.Groups * order.Senders];
        private readonly byte[] _buffer = new byte[order.Size];
        private readonly int _expected = shape.ExpectedBy(order.Number);
        private int _received;
        private bool _hasFailed;

        public void OnBatch(in MessageBatch batch)
        {
            string name = batch.GroupName;
            foreach (MessageRef message in batch) Receive(message, name);
        }

        private void Receive(in MessageRef message, string name)
        {
            if (_hasFailed) return;
            if (message.Payload.Length != order.Size)
            {
                Fail($"a message of {message.Payload.Length} bytes instead of {order.Size} in {name}");
                return;
            }
            MeasuredHeader header = MeasuredHeader.Read(message.Payload);
            if ((uint)header.Group >= (uint)_last.Length || !header.IsWhole(message.Payload)
                || !string.Equals(_names[header.Group % order.Groups], name, StringComparison.Ordinal)
                || message.Sequence != (ulong)header.Index)
            {
                Fail($"a message that is damaged or misdirected in {name}");
                return;
            }
            if (header.Index != ++_last[header.Group])
            {
                Fail($"message {header.Index} instead of {_last[header.Group]} in {name}");
                return;
            }
            if (shape.IsEchoed(shape.NumberOf(header.Group % order.Groups, header.Index)))
            {
                // A handler must not wait: what does not fit is not echoed, and is missing from the count.
                header.Write(_buffer);
                echo.TrySend(_buffer);
            }
            if (++_received < _expected) return;
            _received = 0;
            ends.TryWrite(null);
        }

        private void Fail(string fault)
        {
            _hasFailed = true;
            ends.TryWrite(fault);
        }
    }
}
