using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Membership;

/// <summary>
/// Asks the other addresses that a host is configured with whether a host of the same cluster serves there: when it begins, and from then on once a
/// minute. All are asked at once; addresses where nobody listens cost a start <see cref="DecisionTime"/> at most, however many there are. Where
/// somebody does, the answer is waited for longer.
/// </summary>
/// <param name="claim">The host's.</param>
/// <param name="servers">Hosts and ports; the host's own may be among them.</param>
/// <param name="countNodes">How many nodes are registered at the host.</param>
/// <param name="events">Told of others that serve.</param>
internal sealed class RivalServerMonitor(
    HostClaim claim, IReadOnlyList<(string Host, int Port)> servers, Func<int> countNodes, IMembershipHostEvents events) : IAsyncDisposable
{
    /// <summary>How long a start waits for connections.</summary>
    public static readonly TimeSpan DecisionTime = TimeSpan.FromMilliseconds(250);

    private const int MostAnswerBytes = 1 << 10;
    private static readonly TimeSpan AnswerTime = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    private readonly CancellationTokenSource _stop = new();
    private Task _running = Task.CompletedTask;

    /// <summary>Asks, and decides.</summary>
    /// <returns>Where the host is that goes before this one; null: this one serves.</returns>
    public async Task<string?> DecideAsync()
    {
        if (servers.Count > 0) await AskAllAsync(DecisionTime).ConfigureAwait(false);
        return claim.Decide();
    }

    /// <summary>Begins to ask again and again. Once.</summary>
    public void Start()
    {
        if (servers.Count == 0) return;
        using (ExecutionContext.SuppressFlow()) _running = Task.Run(RunAsync);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
    }

    private async Task RunAsync()
    {
        TimeSpan pause = FirstPause;
        while (!_stop.IsCancellationRequested)
        {
            await Task.Delay(pause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stop.IsCancellationRequested) return;
            await AskAllAsync(AnswerTime).ConfigureAwait(false);
            pause = pause * 2 < LongestPause ? pause * 2 : LongestPause;
        }
    }

    private async Task AskAllAsync(TimeSpan limit)
    {
        await Task.WhenAll(servers.Select(server => AskAsync(server.Host, server.Port, limit))).ConfigureAwait(false);
    }

    // Nobody there, or nobody who answers, is no rival.
    private async Task AskAsync(string host, int port, TimeSpan limit)
    {
        (IPAddress[] addresses, _) = await HostAddresses.FindAsync(host, limit, _stop.Token).ConfigureAwait(false);
        HostClaimFrame?[] answers = await Task.WhenAll(
            addresses.Select(address => AskAsync(new IPEndPoint(address, port), limit))).ConfigureAwait(false);
        foreach (HostClaimFrame answer in answers.OfType<HostClaimFrame>())
        {
            if (claim.OnOther(answer, $"{host}:{port}")) events.OnRival($"{host}:{port}", answer.Nodes);
        }
    }

    private async Task<HostClaimFrame?> AskAsync(IPEndPoint server, TimeSpan limit)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        end.CancelAfter(limit);
        var frame = new FrameBuilder();
        claim.ToFrame(countNodes()).WriteTo(frame, FrameKind.HostQuery);
        byte[] question = new byte[FrameBatch.PrefixBytes + frame.Length];
        BinaryPrimitives.WriteInt32LittleEndian(question, frame.Length);
        frame.Span.CopyTo(question.AsSpan(FrameBatch.PrefixBytes));
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(server, end.Token).ConfigureAwait(false);
            end.CancelAfter(AnswerTime);
            await using var stream = new NetworkStream(socket);
            await stream.WriteAsync(question, end.Token).ConfigureAwait(false);
            byte[] prefix = new byte[FrameBatch.PrefixBytes];
            await stream.ReadExactlyAsync(prefix, end.Token).ConfigureAwait(false);
            int length = BinaryPrimitives.ReadInt32LittleEndian(prefix);
            if (length is <= 0 or > MostAnswerBytes) return null;
            byte[] answer = new byte[length];
            await stream.ReadExactlyAsync(answer, end.Token).ConfigureAwait(false);
            return HostClaimFrame.TryRead(answer, FrameKind.HostAnswer);
        }
        catch (Exception silent) when (silent is SocketException or IOException or OperationCanceledException)
        {
            return null;
        }
    }
}
