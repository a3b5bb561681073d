using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

public sealed class AegisSealingTests() : SealingTests(SealCipher.Aegis128L);
