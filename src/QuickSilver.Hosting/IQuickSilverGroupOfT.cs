using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>A group of values of a hosted node, across evictions; otherwise as <see cref="IQuickSilverGroup"/>. Any
/// thread.</summary>
/// <typeparam name="T">Type of the values.</typeparam>
public interface IQuickSilverGroup<T> : IQuickSilverSender<T>
{
    /// <summary>The group, for all that needs no values.</summary>
    IQuickSilverGroup Raw { get; }

    /// <summary>Reports a message that is no value, with its raw bytes; it is also logged and counted. Raised on the
    /// reader's thread; exceptions of handlers are logged.</summary>
    event EventHandler<UndeserializedMessage>? Undeserialized;

    /// <summary>Reads all values, of one handle after another, as
    /// <see cref="IQuickSilverGroup.ReadAllAsync"/>.</summary>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    IAsyncEnumerable<TypedMessage<T>> ReadAllAsync(CancellationToken cancellationToken = default);
}
