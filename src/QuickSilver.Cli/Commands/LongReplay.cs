using System.IO.Pipelines;
using QuickSilver.Cli.Recordings;

namespace QuickSilver.Cli.Commands;

/// <summary>Sends the long messages of a recording, piece by piece. Those that the recording does not end are given
/// up.</summary>
/// <param name="publisher">Sends.</param>
internal sealed class LongReplay(GroupPublisher publisher) : IAsyncDisposable
{
    private readonly Dictionary<(string Sender, ulong Number), PipeWriter> _open = [];

    /// <summary>Sends a piece.</summary>
    public async Task SendAsync(RecordedItem piece, CancellationToken stop)
    {
        (string, ulong) which = (piece.SenderId, piece.Sequence);
        if (!_open.TryGetValue(which, out PipeWriter? writer)) _open.Add(which, writer = publisher.OpenWriter());
        if (!piece.Payload.IsEmpty) await writer.WriteAsync(piece.Payload, stop).ConfigureAwait(false);
        if (piece.Part == LongPart.More) return;
        _open.Remove(which);
        await writer.CompleteAsync(piece.Part == LongPart.Last ? null : NotWhole()).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (PipeWriter writer in _open.Values) await writer.CompleteAsync(NotWhole()).ConfigureAwait(false);
    }

    private static OperationCanceledException NotWhole() => new("The recording does not have all of the message.");
}
