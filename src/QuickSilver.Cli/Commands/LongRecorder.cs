using System.Diagnostics;
using System.IO.Pipelines;
using QuickSilver.Cli.Recordings;

namespace QuickSilver.Cli.Commands;

/// <summary>Writes the long messages of a group to a recording, piece by piece, as many at once as are under
/// way.</summary>
/// <param name="writer">The recording.</param>
/// <param name="gate">Held by who writes.</param>
/// <param name="start">When the recording has begun.</param>
internal sealed class LongRecorder(RecordingWriter writer, Lock gate, long start)
{
    /// <summary>Records until the group has ended, or <paramref name="end"/>.</summary>
    public async Task RunAsync(Group group, CancellationToken end)
    {
        if (group.View.Mode != GroupMode.Reliable) return;
        var copies = new List<Task>();
        try
        {
            await foreach (LongMessage message in group.ReadLongMessagesAsync(end).ConfigureAwait(false))
            {
                copies.RemoveAll(static copy => copy.IsCompleted);
                copies.Add(CopyAsync(message, end));
            }
        }
        catch (Exception over) when (over is OperationCanceledException or QuickSilverException)
        {
            // The messages of the group end for the same reason, and tell it.
        }
        await Task.WhenAll(copies).ConfigureAwait(false);
    }

    private async Task CopyAsync(LongMessage message, CancellationToken end)
    {
        try
        {
            while (true)
            {
                ReadResult read = await message.Body.ReadAsync(end).ConfigureAwait(false);
                foreach (ReadOnlyMemory<byte> piece in read.Buffer) Write(message, LongPart.More, piece);
                message.Body.AdvanceTo(read.Buffer.End);
                if (!read.IsCompleted) continue;
                Write(message, LongPart.Last, default);
                return;
            }
        }
        catch (Exception over) when (over is OperationCanceledException or QuickSilverException)
        {
            Write(message, LongPart.GivenUp, default);
        }
        finally
        {
            await message.Body.CompleteAsync().ConfigureAwait(false);
        }
    }

    private void Write(LongMessage message, LongPart part, ReadOnlyMemory<byte> bytes)
    {
        lock (gate)
        {
            writer.Write(new RecordedItem(
                Stopwatch.GetElapsedTime(start), message.SenderName, message.Sender.ToString(), message.Sequence, bytes)
            { Part = part });
            writer.Flush();
        }
    }
}
