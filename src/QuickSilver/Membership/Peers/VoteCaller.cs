using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Voting;
using QuickSilver.Security;

namespace QuickSilver.Membership.Peers;

/// <summary>
/// Asks other processes in an election, over a connection to each that stays open between questions. Any thread; the
/// questions to one process follow each other.
/// </summary>
/// <param name="security">Secures connections; null for none.</param>
internal sealed class VoteCaller(ChannelSecurity? security) : IAsyncDisposable
{
    /// <summary>The time limit of a question, connection included.</summary>
    public static readonly TimeSpan CallTime = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<IPEndPoint, Line> _lines = new();

    /// <summary>Asks a process.</summary>
    /// <param name="place">Its place.</param>
    /// <param name="request">The question; it names an electorate only if the other side asks for that.</param>
    /// <param name="electorate">The electorate that it is about; null for none.</param>
    /// <param name="stop">Ends the wait.</param>
    /// <returns>The answer; null when none came in time.</returns>
    public async Task<VoteAnswer?> AskAsync(
        IPEndPoint place, VoteRequest request, Electorate? electorate, CancellationToken stop)
    {
        Line line = _lines.GetOrAdd(place, static _ => new Line());
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(CallTime);
        try
        {
            await line.Turn.WaitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (Exception ended) when (ended is OperationCanceledException or ObjectDisposedException)
        {
            return null;
        }
        bool isGood = false;
        try
        {
            bool isNew = line.Stream is null;
            VoteAnswer? answer = await TryAskAsync(line, place, request, limit.Token).ConfigureAwait(false);
            // The other side may have closed a line that was idle.
            if (answer is null && !isNew && !limit.IsCancellationRequested)
                answer = await TryAskAsync(line, place, request, limit.Token).ConfigureAwait(false);
            if (answer?.Verdict == VoteVerdict.UnknownElectorate && electorate is not null)
            {
                answer = await TryAskAsync(line, place, request with { Electorate = electorate }, limit.Token)
                    .ConfigureAwait(false);
            }
            isGood = answer is not null;
            return answer;
        }
        finally
        {
            if (!isGood) await line.CloseAsync().ConfigureAwait(false);
            line.Turn.Release();
        }
    }

    /// <summary>Closes the lines to all places but some.</summary>
    public async ValueTask KeepAsync(IReadOnlyCollection<IPEndPoint> places)
    {
        foreach (IPEndPoint place in _lines.Keys.Where(place => !places.Contains(place)).ToArray())
        {
            if (!_lines.TryRemove(place, out Line? line)) continue;
            await line.Turn.WaitAsync().ConfigureAwait(false);
            await line.CloseAsync().ConfigureAwait(false);
            line.Turn.Release();
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => KeepAsync([]);

    private async ValueTask<VoteAnswer?> TryAskAsync(
        Line line, IPEndPoint place, VoteRequest request, CancellationToken stop)
    {
        try
        {
            if (line.Stream is null) await line.OpenAsync(place, security, stop).ConfigureAwait(false);
            var frame = new FrameBuilder();
            request.WriteTo(frame);
            byte[]? answer = await FrameExchange.AskAsync(
                line.Stream!, frame.ToArray(), MembershipFrames.MaxNodeFrameBytes, stop).ConfigureAwait(false);
            if (answer is not null && VoteAnswer.TryRead(answer) is { } read) return read;
        }
        // A process with another key belongs to another cluster: its log tells that this one called.
        catch (Exception silent)
            when (silent is SocketException or IOException or OperationCanceledException or HandshakeException)
        {
        }
        await line.CloseAsync().ConfigureAwait(false);
        return null;
    }

    /// <summary>The connection to one place.</summary>
    private sealed class Line
    {
        private Socket? _socket;

        public SemaphoreSlim Turn { get; } = new(1);

        public Stream? Stream { get; private set; }

        public async ValueTask OpenAsync(IPEndPoint place, ChannelSecurity? security, CancellationToken stop)
        {
            _socket = new Socket(place.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            await _socket.ConnectAsync(place, stop).ConfigureAwait(false);
            Stream = security is null
                ? new NetworkStream(_socket)
                : (await security.OpenAsNodeAsync(_socket, $"{place.Address}", stop).ConfigureAwait(false)).Stream;
        }

        public async ValueTask CloseAsync()
        {
            if (Stream is not null) await Stream.DisposeAsync().ConfigureAwait(false);
            _socket?.Dispose();
            Stream = null;
            _socket = null;
        }
    }
}
