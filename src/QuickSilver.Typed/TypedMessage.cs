using System.Diagnostics;

namespace QuickSilver.Typed;

/// <summary>A received value with what is known of its message.</summary>
/// <typeparam name="T">Type of the value.</typeparam>
public readonly record struct TypedMessage<T>
{
    private readonly string? _senderName;
    private readonly MessageHeaders? _headers;

    /// <summary>Creates a message; applications need it in tests of their handlers.</summary>
    /// <param name="value">The value.</param>
    /// <param name="sender">The sender.</param>
    /// <param name="senderName">Name of the sender.</param>
    /// <param name="sequence">Number of the message.</param>
    /// <param name="headers">Its headers.</param>
    public TypedMessage(
        T value,
        MemberId sender = default,
        string senderName = "",
        ulong sequence = 1,
        MessageHeaders? headers = null)
    {
        Value = value;
        Sender = sender;
        _senderName = senderName;
        Sequence = sequence;
        _headers = headers;
    }

    /// <summary>The value; the application owns it.</summary>
    public T Value { get; }

    /// <summary>The node that sent the message.</summary>
    public MemberId Sender { get; }

    /// <summary>Readable name of the sender.</summary>
    public string SenderName => _senderName ?? "";

    /// <summary>Number of the message, per group and incarnation of the sender, from 1. Gaps mean lost
    /// messages, or messages that are no values.</summary>
    public ulong Sequence { get; }

    /// <summary>The headers; empty if the sender gave none.</summary>
    public MessageHeaders Headers => _headers ?? MessageHeaders.None;

    /// <summary>The parent for activities of the application that handle this message: the receiving activity, or the
    /// sender's context. Default without one, or with <see cref="TypedGroupOptions.Tracing"/> off.</summary>
    public ActivityContext TraceContext { get; init; }
}
