using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Bench.Chaos;

/// <summary>
/// One session of a node in all its groups: reads everything that happens there into the log, and sends, if the process
/// is a sender.
/// </summary>
internal sealed class ChaosSession
{
    private const int Longest = 700;
    private const int Long = 30_000;
    private const int OneLongIn = 150;
    private const long MostAtOnce = 60;
    private static readonly TimeSpan SendPeriod = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan ConfirmPeriod = TimeSpan.FromMilliseconds(100);

    private readonly int _number;
    private readonly ChaosOrder _order;
    private readonly ChaosLog _log;
    private readonly SeededRandom _random;
    private readonly CancellationTokenSource _quiet = new();
    private Task _traffic = Task.CompletedTask;

    /// <summary>Begins to read.</summary>
    public ChaosSession(int number, ChaosLife life, IReadOnlyList<Group> groups, ChaosOrder order, ChaosLog log)
    {
        _number = number;
        _order = order;
        _log = log;
        _random = new SeededRandom(order.Seed + (ulong)number);
        Life = life;
        Groups = groups;
        Ended = Task.WhenAll(groups.Select((group, index) => Task.Run(() => ReadAsync(group, order.Groups[index]))));
    }

    /// <summary>Whose session.</summary>
    public ChaosLife Life { get; }

    /// <summary>The handles, in the order of the process's groups.</summary>
    public IReadOnlyList<Group> Groups { get; }

    /// <summary>Ends when every reader has.</summary>
    public Task Ended { get; }

    /// <summary>Begins to send: plain messages at the rate ordered, and one confirmed message after the
    /// other.</summary>
    public void StartTraffic() => _traffic = Task.WhenAll(Task.Run(SendAllAsync), Task.Run(ConfirmAllAsync));

    /// <summary>Ends the sending; returns when no more is handed over, and what was confirmed is known or will not
    /// be.</summary>
    public async Task StopTrafficAsync()
    {
        await _quiet.CancelAsync();
        await _traffic;
    }

    /// <summary>Sends one confirmed message to each group and waits for all.</summary>
    public Task ConfirmEachAsync() => Task.WhenAll(Enumerable.Range(0, Groups.Count).Select(ConfirmAsync));

    private async Task SendAllAsync()
    {
        byte[] payload = new byte[Long];
        long start = Stopwatch.GetTimestamp();
        long done = 0;
        while (!_quiet.IsCancellationRequested && !Ended.IsCompleted)
        {
            // What a stopped process did not send in time is not sent in a heap afterwards.
            long due = (long)(Stopwatch.GetElapsedTime(start).TotalSeconds * _order.SendRate);
            if (due - done > MostAtOnce) done = due - MostAtOnce;
            for (; done < due; done++) TrySendOne(payload);
            await Task.Delay(SendPeriod);
        }
    }

    private void TrySendOne(byte[] buffer)
    {
        Span<byte> payload;
        int index;
        lock (_random)
        {
            index = (int)_random.NextBelow((ulong)Groups.Count);
            payload = buffer.AsSpan(0, Length());
        }
        lock (Life.Lock)
        {
            Fill(payload, index, Stopwatch.GetTimestamp());
            // A shut gate costs the message, not the rhythm: a stuck region must not silence the others.
            if (Groups[index].TrySend(payload) == SendStatus.Accepted) Life.Sent[index]++;
        }
    }

    private async Task ConfirmAllAsync()
    {
        try
        {
            while (!_quiet.IsCancellationRequested && !Ended.IsCompleted)
            {
                int index;
                lock (_random) index = (int)_random.NextBelow((ulong)Groups.Count);
                await ConfirmAsync(index);
                await Task.Delay(ConfirmPeriod);
            }
        }
        catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
        {
            _log.Write('N', $"session {_number}: no confirmation: {ended.Message}");
        }
    }

    private async Task ConfirmAsync(int index)
    {
        byte[] payload;
        lock (_random) payload = new byte[Length()];
        long stamp = Stopwatch.GetTimestamp();
        Task<DeliveryReport> sent;
        long number;
        lock (Life.Lock)
        {
            Fill(payload, index, stamp);
            sent = Groups[index].SendConfirmedAsync(payload);
            number = ++Life.Sent[index];
        }
        DeliveryReport report = await sent;
        string gap = report.Sequence == (ulong)number ? "" : $" FAULT number {report.Sequence} reported";
        _log.Write('C', $"{Life.Id} {_order.Groups[index]} {number} {stamp} {report.Confirmed} {report.Removed}{gap}");
    }

    private int Length() =>
        _random.NextBelow(OneLongIn) == 0
            ? Long : ChaosPayload.LeastBytes + (int)_random.NextBelow(Longest - ChaosPayload.LeastBytes);

    private void Fill(Span<byte> payload, int index, long stamp) =>
        new ChaosPayload(Life.Origin, _order.Groups[index], Life.Sent[index] + 1, stamp).Write(payload);

    private async Task ReadAsync(Group group, int name)
    {
        string end = "left";
        try
        {
            await foreach (GroupEvent happened in group.ReadEventsAsync()) Log(happened, name);
        }
        catch (QuickSilverException ended)
        {
            end = ended.Code.ToString();
        }
        catch (Exception fault)
        {
            end = $"FAULT {fault}";
        }
        _log.Write('Q', $"{_number} {name} {end}");
    }

    private void Log(GroupEvent happened, int name)
    {
        switch (happened)
        {
            case MessageReceived { Message: var message }:
                if (!ChaosPayload.TryRead(message.Payload.Span, out ChaosPayload read))
                    _log.Write('X', $"{_number} {name} {message.Sender} {message.Sequence} its content is damaged");
                else if (read.Group != name || (ulong)read.Index != message.Sequence)
                    _log.Write(
                        'X',
                        $"{_number} {name} {message.Sender} {message.Sequence} it was sent as {read.Index} of group "
                            + $"{read.Group}");
                else
                    _log.Write('M', $"{_number} {name} {message.Sender} {message.Sequence} {read.Stamp} {read.Origin}");
                break;
            case MessagesLost loss:
                _log.Write('O', $"{_number} {name} {loss.Sender} {loss.First} {loss.Count} {loss.Reason}");
                break;
            case ViewChanged { After: var view }:
                _log.Write(
                    'V',
                    $"{_number} {name} {view.Epoch} {view.Number} "
                        + $"{string.Join(',', view.Members.Select(member => member.Id))}");
                break;
            default:
                _log.Write('N', $"FAULT unknown event {happened}");
                break;
        }
    }
}
