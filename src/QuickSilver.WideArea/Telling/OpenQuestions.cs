using System.Collections.Concurrent;
using System.Security.Cryptography;

namespace QuickSilver.WideArea.Telling;

/// <summary>Questions of a node who holds its messages, until they are answered. Any thread.</summary>
internal sealed class OpenQuestions
{
    private static readonly TimeSpan GatewayTimeout = TimeSpan.FromSeconds(30);

    private readonly ConcurrentDictionary<ulong, OpenQuestion> _open = new();

    // Nodes draw theirs, so that no two have the same.
    private ulong _number = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));

    /// <summary>Asks about a message.</summary>
    public OpenQuestion Open(ulong sequence, string group)
    {
        var ask = new AskBody(Interlocked.Increment(ref _number), sequence, group);
        var question = new OpenQuestion(ask, GatewayTimeout);
        _open[question.Number] = question;
        return question;
    }

    /// <summary>Nobody waits for it any more.</summary>
    public void Close(OpenQuestion question) => _open.TryRemove(question.Number, out _);

    /// <summary>A gateway answers some node.</summary>
    public void OnAnswer(in AnswerBody answer)
    {
        if (_open.TryGetValue(answer.Number, out OpenQuestion? question)) question.OnAnswer(answer);
    }
}
