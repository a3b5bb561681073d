using System.Collections.ObjectModel;
using System.Diagnostics;
using System.Text.Json.Serialization;
using QuickSilver.Hosting;
using QuickSilver.Typed;

namespace QuickSilver.Tests.Programs;

/// <summary>A value.</summary>
internal sealed record Word(string Text);

[JsonSerializable(typeof(Word))]
internal sealed partial class WordContext : JsonSerializerContext;

/// <summary>Prints the words.</summary>
internal sealed class WordHandler : IMessageHandler<Word>
{
    /// <inheritdoc/>
    public ValueTask HandleAsync(TypedMessage<Word> message, CancellationToken cancellationToken)
    {
        Console.WriteLine($"word {message.Value.Text}");
        return default;
    }
}

/// <summary>Prints each span when it ends: name, trace, own id, its parent's id.</summary>
internal sealed class PrintedSpans : Collection<Activity>
{
    /// <inheritdoc/>
    protected override void InsertItem(int index, Activity item)
    {
        Console.WriteLine($"span {item.OperationName} {item.TraceId} {item.SpanId} {item.ParentSpanId}");
        base.InsertItem(index, item);
    }
}
