using System.Buffers.Binary;
using System.Diagnostics;
using System.Threading.Channels;

namespace QuickSilver.Scenarios.Wide;

/// <summary>Round trips between members of sites, by a reliable group: one member asks, and that of one other site
/// answers.</summary>
internal sealed class SiteEcho : IAsyncDisposable
{
    /// <summary>Name of the group.</summary>
    public const string GroupName = "echo";

    private const int HeadBytes = 16;
    private const int NumberBits = 32;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly int _site;
    private readonly Channel<long> _answers = Channel.CreateUnbounded<long>();
    private readonly Channel<byte[]> _questions = Channel.CreateUnbounded<byte[]>();
    private long _asked;
    private Group _group = null!;
    private Task _answering = Task.CompletedTask;

    private SiteEcho(int site) => _site = site;

    /// <summary>Joins, and answers from now on.</summary>
    public static async Task<SiteEcho> JoinAsync(QuickSilverNode node, int site)
    {
        var echo = new SiteEcho(site);
        echo._group = await node.JoinAsync(
            GroupName,
            new GroupOptions { SelfDelivery = false, OnMessage = echo.OnMessage, BufferBeforeFirstRead = false });
        echo._answering = echo.AnswerAsync();
        return echo;
    }

    /// <summary>Asks one after another.</summary>
    /// <returns>The round trips in milliseconds.</returns>
    /// <exception cref="OperationCanceledException">An answer does not come within a minute.</exception>
    public async Task<IReadOnlyList<double>> AskAsync(int site, int count, int bytes)
    {
        var message = new byte[Math.Max(bytes, HeadBytes)];
        List<double> times = [];
        for (int turn = 0; turn < count; turn++)
        {
            // Answers to other sites come here, too.
            long number = ((long)_site << NumberBits) + ++_asked;
            BinaryPrimitives.WriteInt32LittleEndian(message, site + 1);
            BinaryPrimitives.WriteInt64LittleEndian(message.AsSpan(sizeof(long)), number);
            using var patience = new CancellationTokenSource(Patience);
            long start = Stopwatch.GetTimestamp();
            await _group.SendAsync(message.AsMemory(), patience.Token);
            while (await _answers.Reader.ReadAsync(patience.Token) != number)
            {
            }
            times.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }
        return times;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _questions.Writer.Complete();
        await _answering;
        await _group.DisposeAsync();
    }

    // An answer is negative.
    private void OnMessage(in MessageRef message)
    {
        int kind = BinaryPrimitives.ReadInt32LittleEndian(message.Payload);
        if (kind == _site + 1) _questions.Writer.TryWrite(message.Payload.ToArray());
        if (kind < 0) _answers.Writer.TryWrite(BinaryPrimitives.ReadInt64LittleEndian(message.Payload[sizeof(long)..]));
    }

    private async Task AnswerAsync()
    {
        await foreach (byte[] question in _questions.Reader.ReadAllAsync())
        {
            BinaryPrimitives.WriteInt32LittleEndian(question, -1);
            await _group.SendAsync(question.AsMemory());
        }
    }
}
